package scenario

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"
)

// parsePods reads the pods of a command's input.
func (w *World) parsePods(input string) ([]*corev1.Pod, error) {
	for _, start := range []string{"apiVersion:", "kind:", "metadata:", "spec:"} {
		if strings.HasPrefix(input, start) {
			pod := &corev1.Pod{}
			err := yaml.UnmarshalStrict([]byte(input), pod)
			return []*corev1.Pod{pod}, err
		}
	}
	var out []*corev1.Pod
	for line := range strings.SplitSeq(strings.ReplaceAll(input, " ;\n", " ; "), "\n") {
		if strings.TrimSpace(line) == "" {
			continue
		}
		pod, err := w.parsePod(line)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", line, err)
		}
		out = append(out, pod)
	}
	return out, nil
}

// ParsePod reads a pod from a line, with NVIDIA's short names of resources.
func ParsePod(line string) (*corev1.Pod, error) { return (&World{names: nvidiaNames}).parsePod(line) }

func (w *World) parsePod(line string) (*corev1.Pod, error) {
	pod := &corev1.Pod{}
	pod.Name, pod.Namespace, pod.Annotations = "p", "default", map[string]string{}
	for item := range strings.SplitSeq(line, " ; ") {
		item = strings.TrimLeft(item, " ")
		word, rest, _ := strings.Cut(item, " ")
		var err error
		switch {
		case strings.HasPrefix(item, "@"):
			err = annotate(pod, item[1:])
		case word == "pod":
			err = describe(pod, rest)
		case word == "init" || word == "sidecar" || word == "app":
			err = w.addContainer(pod, word, rest)
		default:
			err = w.addContainer(pod, "app", item)
		}
		if err != nil {
			return nil, err
		}
	}
	return pod, nil
}

func annotate(pod *corev1.Pod, item string) error {
	key, value, ok := strings.Cut(item, ":")
	if !ok {
		return fmt.Errorf("annotation %q has no colon", item)
	}
	value = strings.TrimPrefix(value, " ")
	if strings.HasPrefix(value, `"`) {
		var err error
		if value, err = strconv.Unquote(value); err != nil {
			return fmt.Errorf("annotation %s: %w", key, err)
		}
	}
	pod.Annotations[key] = value
	return nil
}

func describe(pod *corev1.Pod, text string) error {
	for word := range strings.FieldsSeq(text) {
		key, value, _ := strings.Cut(word, "=")
		switch key {
		case "name":
			pod.Name = value
		case "ns":
			pod.Namespace = value
		case "uid":
			pod.UID = types.UID(value)
		case "scheduler":
			pod.Spec.SchedulerName = value
		case "node":
			pod.Spec.NodeName = value
		default:
			return fmt.Errorf("pod: no key %q", key)
		}
	}
	return nil
}

func (w *World) addContainer(pod *corev1.Pod, class, text string) error {
	c := corev1.Container{}
	c.Resources.Limits, c.Resources.Requests = corev1.ResourceList{}, corev1.ResourceList{}
	for word := range strings.FieldsSeq(text) {
		key, value, ok := strings.Cut(word, "=")
		switch {
		case word == "privileged":
			yes := true
			c.SecurityContext = &corev1.SecurityContext{Privileged: &yes}
		case word == "-": // asks for nothing
		case !ok:
			return fmt.Errorf("container: no word %q", word)
		default:
			list := c.Resources.Limits
			if after, found := strings.CutPrefix(key, "R:"); found {
				key, list = after, c.Resources.Requests
			}
			q, err := resource.ParseQuantity(value)
			if err != nil {
				return fmt.Errorf("%s: %w", word, err)
			}
			list[corev1.ResourceName(w.resourceName(key))] = q
		}
	}
	if class == "app" {
		c.Name = "c" + strconv.Itoa(len(pod.Spec.Containers))
		pod.Spec.Containers = append(pod.Spec.Containers, c)
		return nil
	}
	c.Name = "i" + strconv.Itoa(len(pod.Spec.InitContainers))
	if class == "sidecar" {
		always := corev1.ContainerRestartPolicyAlways
		c.RestartPolicy = &always
	}
	pod.Spec.InitContainers = append(pod.Spec.InitContainers, c)
	return nil
}

var nvidiaNames = map[string]string{
	"gpu": "nvidia.com/gpu", "gpumem": "nvidia.com/gpumem", "percentage": "nvidia.com/gpumem-percentage",
	"gpucores": "nvidia.com/gpucores", "priority": "nvidia.com/priority",
}

// resourceName completes a short name; other names stand for themselves.
func (w *World) resourceName(short string) string {
	if long, ok := w.names[short]; ok {
		return long
	}
	return short
}

// shortName is a short name of a resource, the first of several; the name itself where there is none.
func (w *World) shortName(long string) string {
	for _, short := range slices.Sorted(maps.Keys(w.names)) {
		if w.names[short] == long {
			return short
		}
	}
	return long
}
