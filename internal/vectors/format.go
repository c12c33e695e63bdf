package vectors

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"

	corev1 "k8s.io/api/core/v1"
)

// Header is the first line of a file.
type Header struct {
	Backend   string            `json:"backend"`
	Reference string            `json:"reference"`
	Sequences int               `json:"sequences"`
	Steps     int               `json:"steps"`
	Configs   map[string]string `json:"configs"`
}

// Sequence is one line: steps on a cluster that starts without pods.
type Sequence struct {
	ID         string                                   `json:"id"`
	Config     string                                   `json:"config"`
	NodePolicy string                                   `json:"nodePolicy"`
	GPUPolicy  string                                   `json:"gpuPolicy"`
	Malformed  bool                                     `json:"malformed"`
	Nodes      []corev1.Node                            `json:"nodes"`
	Registered map[string]map[string][]RegisteredDevice `json:"registered"`
	Steps      []Step                                   `json:"steps"`
	End        map[string]map[string]DeviceEnd          `json:"end"`
}

// RegisteredDevice is a device as the reference read it.
type RegisteredDevice struct {
	ID     string `json:"id"`
	Index  uint64 `json:"index"`
	Count  int64  `json:"count"`
	Mem    int64  `json:"mem"`
	Core   int64  `json:"core"`
	Type   string `json:"type"`
	NUMA   int    `json:"numa"`
	Mode   string `json:"mode"`
	Health bool   `json:"health"`
}

// DeviceEnd is what a device carries after the last step.
type DeviceEnd struct {
	Used  int64    `json:"used"`
	Mem   int64    `json:"mem"`
	Cores int64    `json:"cores"`
	MIG   [][3]any `json:"mig"`
}

// Step is one event and, for a pod, what was decided.
type Step struct {
	Op         string                        `json:"op"`
	Pod        *corev1.Pod                   `json:"pod"`
	Malformed  bool                          `json:"malformed"`
	Exact      bool                          `json:"exact"`
	Unstable   []string                      `json:"unstable"`
	Ties       bool                          `json:"ties"`
	Requests   []map[string]Request          `json:"requests"`
	Pass       bool                          `json:"passthrough"`
	Nodes      map[string]Verdict            `json:"nodes"`
	Chosen     *string                       `json:"chosen"`
	Notes      map[string]string             `json:"annotations"`
	Applied    *Applied                      `json:"applied"`
	Error      string                        `json:"error"`
	Quota      *corev1.ResourceQuota         `json:"quota"`
	Delete     bool                          `json:"delete"`
	Node       *corev1.Node                  `json:"node"`
	Registered map[string][]RegisteredDevice `json:"registered"`
}

// Request is what a container asks of a vendor.
type Request struct {
	Nums   int64  `json:"nums"`
	Type   string `json:"type"`
	Mem    int64  `json:"mem"`
	MemPct int64  `json:"mempct"`
	Cores  int64  `json:"cores"`
}

// Verdict is what was decided on one node.
type Verdict struct {
	Fit    bool        `json:"fit"`
	Reason string      `json:"reason"`
	Score  json.Number `json:"score"`
	Alloc  Alloc       `json:"alloc"`
}

// Alloc is a placement: vendor → one list for each container.
type Alloc map[string][][]Device

// Device is one device of a placement.
type Device struct {
	UUID       string     `json:"uuid"`
	Type       string     `json:"type"`
	UsedMem    int64      `json:"usedmem"`
	UsedCores  int64      `json:"usedcores"`
	MIGProfile string     `json:"migProfile,omitempty"`
	MIGPlace   *Placement `json:"migPlacement,omitempty"`
}

// Placement is where a MIG instance lies.
type Placement struct {
	Start uint32 `json:"start"`
	Size  uint32 `json:"size"`
}

// Applied is the outcome that was taken to go on where the decision was not fixed.
type Applied struct {
	Node  string            `json:"node"`
	Alloc Alloc             `json:"alloc"`
	Notes map[string]string `json:"annotations"`
}

// ReadFile calls each for every sequence of a file.
func ReadFile(path string, each func(Header, Sequence) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if err := read(z, each); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

func read(r io.Reader, each func(Header, Sequence) error) error {
	d := json.NewDecoder(bufio.NewReaderSize(r, 1<<20))
	var h Header
	if err := d.Decode(&h); err != nil {
		return fmt.Errorf("header: %w", err)
	}
	n := 0
	for ; ; n++ {
		var s Sequence
		err := d.Decode(&s)
		if err == io.EOF {
			break
		}
		if err != nil {
			return fmt.Errorf("sequence %d: %w", n, err)
		}
		if err := each(h, s); err != nil {
			return err
		}
	}
	if n != h.Sequences {
		return fmt.Errorf("%d sequences, the header says %d", n, h.Sequences)
	}
	return nil
}

// jsonText renders a value for comparison; empty maps, lists and nil are the same.
func jsonText(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	if s := string(text); s != "{}" && s != "[]" {
		return s
	}
	return "null"
}
