package command

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/accelfit/accelfit/examples/whatif/internal/anonymize"
	"github.com/accelfit/accelfit/examples/whatif/internal/demo"
	"github.com/accelfit/accelfit/examples/whatif/internal/input"
)

// shown are the clusters that are anonymized in tests. private.yaml has names in all places where names can be.
func shown(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{"demo": string(demo.Cluster)}
	for _, name := range []string{"mixed", "growing", "private"} {
		text, err := os.ReadFile("../../testdata/" + name + ".yaml")
		if err != nil {
			t.Fatal(err)
		}
		out[name] = string(text)
	}
	return out
}

// questions are command lines about a cluster, with its names.
func questions(t *testing.T, cluster string) (out [][]string) {
	t.Helper()
	c, err := input.Parse("f", []byte(cluster))
	if err != nil {
		t.Fatal(err)
	}
	out = [][]string{{"table"}, {"scaleup"}, {"scaleup", "--group-label", "kubernetes.io/hostname", "--strategy", "least-nodes"},
		{"capacity"}, {"fragmentation"}, {"lint"}, {"table", "--all-quirks"}}
	place := []string{"place"}
	for _, p := range c.Pods {
		name := p.Namespace + "/" + p.Name
		place = append(place, name)
		if p.Status.Phase == "Running" && len(c.Pods) > 20 {
			continue // there are enough others
		}
		out = append(out, []string{"why", name}, []string{"explain-request", name}, []string{"makeroom", name})
	}
	for _, n := range c.Nodes {
		out = append(out, []string{"drain", n.Name})
	}
	return append(out, place)
}

// TestAnonymizedAnswers: every answer about an anonymized cluster is the one about the cluster, but for the names.
func TestAnonymizedAnswers(t *testing.T) {
	for name, cluster := range shown(t) {
		seeds := []string{"0"}
		if name == "private" {
			seeds = append(seeds, "7")
		}
		for _, seed := range seeds {
			t.Run(name+"/"+seed, func(t *testing.T) {
				dump := answered(t, cluster, "anonymize", "--seed", seed, "-f", "-")
				var all []anonymize.Name
				decodeYAML(t, answered(t, cluster, "anonymize", "--seed", seed, "--names", "-f", "-", "-o", "json"), &all)
				old := back(all)
				for _, q := range questions(t, cluster) {
					want, _, wantCode := run(t, cluster, append(q, "-f", "-", "-o", "json")...)
					got, errs, code := run(t, dump, append(asked(q, all), "-f", "-", "-o", "json")...)
					if d := cmp.Diff(comparable(want, q[0]), comparable(old.Replace(got), q[0])); d != "" || code != wantCode {
						t.Fatalf("whatif %s: exit code %d, want %d %s\n%s", strings.Join(q, " "), code, wantCode, errs, d)
					}
				}
			})
		}
	}
}

// comparable is an answer as far as it does not depend on what an anonymized cluster leaves out: annotations that nobody
// reads, and what admission would add if it were not there.
func comparable(text, command string) string {
	switch command {
	case "explain-request":
		text = regexp.MustCompile(`(?s)"unread": \[.*?\]|\{[^{}]*"what": "environment"[^{}]*\},?\s*`).ReplaceAllString(text, "")
	case "lint":
		text = regexp.MustCompile(`(?s)\{[^{}]*"why": "nobody reads this annotation"[^{}]*\},?\s*`).ReplaceAllString(text, "")
	}
	return text
}

// back puts the old names in place of the new ones. Longer ones go first: an id may have the name of its node in it.
func back(all []anonymize.Name) *strings.Replacer {
	slices.SortStableFunc(all, func(a, b anonymize.Name) int { return len(b.New) - len(a.New) })
	var pairs []string
	for _, n := range all {
		pairs = append(pairs, n.New, n.Old)
	}
	return strings.NewReplacer(pairs...)
}

// asked is a command line about the anonymized cluster: names of nodes, and of pods with their namespace, are the new ones.
func asked(q []string, all []anonymize.Name) []string {
	now := map[string]string{}
	for _, n := range all {
		now[n.Kind+" "+n.Old] = n.New
	}
	out := slices.Clone(q)
	for i, arg := range q[1:] {
		if ns, pod, found := strings.Cut(arg, "/"); found && now["pod "+pod] != "" {
			out[1+i] = now["ns "+ns] + "/" + now["pod "+pod]
		} else if node := now["node "+arg]; node != "" {
			out[1+i] = node
		}
	}
	return out
}

// TestNothingIsLeft: no name, id, UID, namespace or label value of a cluster is in what is made of it.
func TestNothingIsLeft(t *testing.T) {
	for name, cluster := range shown(t) {
		t.Run(name, func(t *testing.T) {
			var all []anonymize.Name
			decodeYAML(t, answered(t, cluster, "anonymize", "--names", "-f", "-", "-o", "json"), &all)
			old := map[string]bool{}
			for _, n := range all {
				old[n.Old] = true
			}
			for _, known := range namesOf(t, cluster) {
				if !old[known] {
					t.Errorf("%s has no other name", known)
				}
			}
			dump := answered(t, cluster, "anonymize", "-f", "-")
			var value any
			decodeYAML(t, dump, &value)
			eachWord(value, "", func(word string) {
				if old[word] {
					t.Errorf("%s is still there", word)
				}
			})
			for _, secret := range []string{"acme", "skunkworks", "falcon", "osprey", "kestrel", "bumblebee", "swordfish", "5ecret", "mike", "hamlet",
				"i-0123456789", "10.9.8.7", "88888888", "99999999", "managedFields", "2026-01-01"} {
				if strings.Contains(dump, secret) {
					t.Errorf("%s is still there:\n%s", secret, dump)
				}
			}
		})
	}
}

// namesOf are the names of a cluster that no annotation has to be read for.
func namesOf(t *testing.T, cluster string) (out []string) {
	t.Helper()
	c, err := input.Parse("f", []byte(cluster))
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range c.Nodes {
		out = append(out, n.Name)
		for key, v := range n.Labels {
			if key != "node.kubernetes.io/instance-type" && key != "acme.internal/rank" { // the latter is compared as a number
				out = append(out, v)
			}
		}
	}
	for _, p := range c.Pods {
		out = append(out, p.Name, p.Namespace)
		if p.UID != "" {
			out = append(out, string(p.UID))
		}
	}
	for _, q := range c.Quotas {
		out = append(out, q.Name, q.Namespace)
	}
	return out
}

// eachWord visits the words of all texts of a document, names of fields and of resources aside.
func eachWord(value any, key string, visit func(string)) {
	word := regexp.MustCompile(`[A-Za-z0-9._-]+`)
	switch v := value.(type) {
	case map[string]any:
		for k, inner := range v {
			if key == "annotations" || key == "labels" || key == "nodeSelector" {
				visit(k)
			}
			eachWord(inner, k, visit)
		}
	case []any:
		for _, inner := range v {
			eachWord(inner, key, visit)
		}
	case string:
		for _, w := range word.FindAllString(v, -1) {
			visit(w)
		}
	}
}
