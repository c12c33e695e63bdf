package scenario

import (
	"fmt"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"
)

// parsePods reads the pods of a command's input.
func parsePods(input string) ([]*corev1.Pod, error) {
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
		pod, err := ParsePod(line)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", line, err)
		}
		out = append(out, pod)
	}
	return out, nil
}

// ParsePod reads a pod from a line.
func ParsePod(line string) (*corev1.Pod, error) {
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
			err = addContainer(pod, word, rest)
		default:
			err = addContainer(pod, "app", item)
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

func addContainer(pod *corev1.Pod, class, text string) error {
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
			list[corev1.ResourceName(resourceName(key))] = q
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

// resourceName completes a short name: gpu, gpumem, percentage and the like are NVIDIA's.
func resourceName(short string) string {
	switch {
	case short == "cpu" || short == "memory" || strings.Contains(short, "/"):
		return short
	case short == "percentage":
		return "nvidia.com/gpumem-percentage"
	}
	return "nvidia.com/" + short
}
