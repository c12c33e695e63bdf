package simulation_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/accelfit/accelfit/examples/extender/internal/simulation"
	"github.com/accelfit/accelfit/simulate"
	"github.com/accelfit/accelfit/vendors"
)

var update = flag.Bool("update", false, "write the answer into README.md")

const readme = "../../README.md"

// TestReadme: the answer that README.md shows is the answer to the request that it shows.
func TestReadme(t *testing.T) {
	text, err := os.ReadFile(readme)
	require.NoError(t, err)
	profile, err := simulate.ProfileOfModels("one-l4", 1, "NVIDIA L4")
	require.NoError(t, err)
	s, err := simulation.New(vendors.Default(), simulation.Options{Profiles: []simulate.Profile{profile}})
	require.NoError(t, err)
	_, _, request := block(t, string(text), "request")
	response, err := s.Answer(t.Context(), []byte(request))
	require.NoError(t, err)
	got, err := response.JSON()
	require.NoError(t, err)
	from, to, shown := block(t, string(text), "answer")
	if *update {
		var pretty bytes.Buffer
		require.NoError(t, json.Indent(&pretty, got, "", "  "))
		pretty.WriteByte('\n')
		require.NoError(t, os.WriteFile(readme, []byte(string(text[:from])+pretty.String()+string(text[to:])), 0o644))
		return
	}
	assert.JSONEq(t, string(got), shown, "go test ./internal/simulation -run Readme -update")
}

// block finds the code between <!-- name --> and <!-- /name -->.
func block(t *testing.T, text, name string) (from, to int, code string) {
	t.Helper()
	begin, end := "<!-- "+name+" -->\n```json\n", "```\n<!-- /"+name+" -->"
	from = strings.Index(text, begin) + len(begin)
	to = strings.Index(text, end)
	require.True(t, from >= len(begin) && to >= from, name)
	return from, to, text[from:to]
}
