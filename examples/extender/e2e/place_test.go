package e2e

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"maps"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/examples/testbed/testbed"
	"github.com/accelfit/accelfit/simulate"
	"github.com/accelfit/accelfit/vendors"
)

func (f *tlsFiles) config(t *testing.T) *tls.Config {
	t.Helper()
	pair, err := tls.LoadX509KeyPair(f.clientCert, f.clientKey)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(f.ca)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(text)
	return &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: pool, Certificates: []tls.Certificate{pair}}
}

// createNodes creates ten nodes of four vendors.
func createNodes(t *testing.T, c *testbed.Cluster) []*corev1.Node {
	t.Helper()
	var text strings.Builder
	for i, devices := range []string{
		"model: NVIDIA L4, count: 4", "model: NVIDIA L4, count: 4", "model: NVIDIA L4, count: 2", "model: NVIDIA H100 NVL, count: 4",
		"model: NVIDIA H100 NVL, count: 2", "model: Ascend910B3, count: 8", "model: Ascend910B3, count: 8",
		"model: DCU-K100_AI, count: 4", "model: DCU-K100_AI, count: 4", "vendor: MLU, model: MLU, memoryMiB: 49152, count: 4",
	} {
		fmt.Fprintf(&text, `---
apiVersion: v1
kind: Node
metadata: {name: node-%d, annotations: {testbed.accelfit.dev/devices: "[{%s}]"}}
status: {allocatable: {cpu: "96", memory: 512Gi, pods: "110"}}
`, i, devices)
	}
	return createAll(t, c, text.String())
}

// createAll creates the nodes of a text, and deletes everything when the test is over.
func createAll(t *testing.T, c *testbed.Cluster, text string) []*corev1.Node {
	t.Helper()
	objects, err := testbed.ReadObjects([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	deleteAtEnd(t, c)
	nodes, err := c.CreateNodes(t.Context(), objects.Nodes...)
	if err != nil {
		t.Fatal(err)
	}
	return nodes
}

func deleteAtEnd(t *testing.T, c *testbed.Cluster) {
	t.Cleanup(func() {
		if err := c.DeleteAll(context.Background()); err != nil {
			t.Error(err)
		}
	})
}

// wishes are what pods ask for, in turn.
var wishes = []map[corev1.ResourceName]string{
	{"nvidia.com/gpu": "1", "nvidia.com/gpumem": "4000", "nvidia.com/gpucores": "10"},
	{"huawei.com/Ascend910B3": "1"},
	{"hygon.com/dcunum": "1", "hygon.com/dcumem": "4000", "hygon.com/dcucores": "10"},
	{"nvidia.com/gpu": "2", "nvidia.com/gpumem": "3000"},
	{"cambricon.com/vmlu": "1", "cambricon.com/mlu.smlu.vmemory": "16", "cambricon.com/mlu.smlu.vcore": "10"},
	{"nvidia.com/gpu": "1", "nvidia.com/gpumem-percentage": "20"},
	{"hygon.com/dcunum": "1", "hygon.com/dcumem": "9000", "hygon.com/dcucores": "5"},
}

func podsOf(scheduler string, n int) (pods []*corev1.Pod) {
	for i := range n {
		limits := corev1.ResourceList{}
		for name, value := range wishes[i%len(wishes)] {
			limits[name] = resource.MustParse(value)
		}
		pods = append(pods, &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Namespace: "e2e", Name: fmt.Sprintf("%s-%03d", scheduler, i)},
			Spec: corev1.PodSpec{
				SchedulerName: scheduler,
				Containers:    []corev1.Container{{Name: "main", Resources: corev1.ResourceRequirements{Limits: limits}}},
			},
		})
	}
	return pods
}

// A scheduler, called in every form there is, binds a hundred pods; devices and nodes are those that the library foretells for
// the same pods in the same order.
func TestPlacesAsForetold(t *testing.T) {
	for _, test := range []struct {
		name         string
		cacheCapable bool
		secure       bool
	}{{"names", true, false}, {"objects", false, false}, {"mutual-tls", true, true}} {
		t.Run(test.name, func(t *testing.T) {
			c := bed.Cluster(t)
			nodes := createNodes(t, c)
			c.Agents(t)
			var files *tlsFiles
			if test.secure {
				files = newTLSFiles(t, c)
			}
			e := startExtender(t, c, files)
			e.scheduler(c, test.name, test.cacheCapable, files)
			set := vendors.Default()
			snapshot, problems := simulate.New(set, nodes, nil)
			if len(problems) > 0 {
				t.Fatal(problems)
			}
			for _, pod := range podsOf(test.name, 100) {
				placeOne(t, c, snapshot, pod)
			}
			c.WantHolders(t, "e2e", 100)
			if test.secure {
				wantStrangersRefused(t, e)
			}
		})
	}
}

// placeOne creates a pod, waits until it is bound, and compares with what the snapshot says, which then has it too.
func placeOne(t *testing.T, c *testbed.Cluster, snapshot *simulate.Snapshot, pod *corev1.Pod) {
	t.Helper()
	created, err := c.CreatePods(t.Context(), pod)
	if err != nil {
		t.Fatal(err)
	}
	foretold, err := snapshot.PlaceAnywhere(created[0], simulate.PlaceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if !foretold.OK() {
		t.Fatalf("pod %s is not to fit: %v", pod.Name, foretold.Refused)
	}
	bound, err := c.WaitBound(t.Context(), created...)
	if err != nil {
		t.Fatal(err)
	}
	u, _ := snapshot.Node(foretold.Node)
	want := snapshot.Set().Annotations(created[0], u.Info(), foretold.Allocation, time.Time{})
	got := maps.Clone(bound[0].Annotations)
	for _, key := range []string{device.AnnotationTime, device.AnnotationBindTime, device.AnnotationBindPhase, "predicate-time"} {
		delete(got, key)
	}
	if bound[0].Spec.NodeName != foretold.Node || !maps.Equal(got, want) {
		t.Fatalf("pod %s: foretold node %s %v, got %s %v", pod.Name, foretold.Node, want, bound[0].Spec.NodeName, got)
	}
}

// wantStrangersRefused checks that who has no certificate is not heard.
func wantStrangersRefused(t *testing.T, e *extender) {
	t.Helper()
	config := e.client.Transport.(*http.Transport).TLSClientConfig.Clone()
	config.Certificates = nil
	stranger := &http.Client{Transport: &http.Transport{TLSClientConfig: config, DisableKeepAlives: true}}
	r, err := stranger.Post("https://"+e.address+"/filter", "application/json", strings.NewReader("{}"))
	if err != nil {
		return
	}
	if _ = r.Body.Close(); r.StatusCode < 400 {
		t.Errorf("a client without a certificate was answered: %s", r.Status)
	}
}

// An extender that is killed again and again loses nothing that it gave out, and gives nothing out twice.
func TestKilledExtenderLosesNothing(t *testing.T) {
	c := bed.Cluster(t)
	createNodes(t, c)
	c.Agents(t)
	e := startExtender(t, c, nil)
	e.scheduler(c, "killed", true, nil)
	pods, err := c.CreatePods(t.Context(), podsOf("killed", 100)...)
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range []int{15, 40, 70} {
		if _, err := c.WaitBound(t.Context(), pods[at]); err != nil {
			t.Fatal(err)
		}
		e.kill()
		report(t, c)
		e.start()
	}
	if _, err := c.WaitBound(t.Context(), pods...); err != nil {
		t.Fatal(err)
	}
	c.WantHolders(t, "e2e", 100)
}
