package answer

import (
	"slices"

	"github.com/accelfit/accelfit/examples/whatif/internal/problem"
)

// Remarks are what every answer says beside the answer.
type Remarks struct {
	Upcoming []Upcoming        `json:"upcoming,omitempty"` // nodes that count as their device profile says
	Problems []problem.Problem `json:"problems"`           // what is wrong with the input
}

// Upcoming is a node that has joined without registering its devices, or those of some vendors. They are taken to be as its
// profile says.
type Upcoming struct {
	Node    string `json:"node"`
	Profile string `json:"profile"`
	Devices int    `json:"devices"` // that are taken to be there
	Ready   bool   `json:"ready"`   // otherwise no pod is placed on it
}

// remarks are those about the input, and the problems of the question, each once.
func (w *World) remarks(more []problem.Problem) Remarks {
	out, seen := Remarks{Upcoming: slices.Clone(w.upcoming), Problems: []problem.Problem{}}, map[problem.Problem]bool{}
	for _, p := range slices.Concat(w.problems, more) {
		if !seen[p] {
			seen[p] = true
			out.Problems = append(out.Problems, p)
		}
	}
	return out
}
