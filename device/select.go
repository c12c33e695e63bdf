package device

import (
	"slices"
	"strings"
)

// Selection is a pair of lists from a pod's annotations: what a device must match and what it must not. The zero value
// selects everything.
type Selection struct {
	use, no []string
	must    bool // the use list was given, if only as separators
}

// ParseIDs reads use and no-use lists of device ids: comma-separated, each id trimmed and compared exactly. An empty or
// blank value is no constraint; one that consists of separators only matches nothing (spec core §13.1).
func ParseIDs(use, no string) Selection {
	return Selection{use: split(use), no: split(no), must: strings.TrimSpace(use) != ""}
}

// ParseTypes reads use and no-use lists of type fragments: comma-separated, each trimmed, matched as substrings whatever
// the letter case, empty ones ignored. An empty or blank value is no constraint; a use list without any fragment matches
// nothing (spec core §13.2).
func ParseTypes(use, no string) Selection { return ParseIDs(strings.ToLower(use), strings.ToLower(no)) }

func split(list string) []string {
	var out []string
	for part := range strings.SplitSeq(list, ",") {
		if part = strings.TrimSpace(part); part != "" {
			out = append(out, part)
		}
	}
	return out
}

// Everything says whether the selection excludes nothing.
func (s *Selection) Everything() bool { return !s.must && len(s.no) == 0 }

// AllowsID says whether the lists, read by ParseIDs, allow a device id.
func (s *Selection) AllowsID(id string) bool {
	return (!s.must || slices.Contains(s.use, id)) && !slices.Contains(s.no, id)
}

// AllowsType says whether the lists, read by ParseTypes, allow device i of a node.
func (s *Selection) AllowsType(n *NodeInfo, i int) bool {
	if s.must && !anyIn(s.use, n, i) {
		return false
	}
	return !anyIn(s.no, n, i)
}

// AllowsModel says whether the lists, read by ParseTypes, allow device i of a node where each names whole models
// ([NodeInfo.IsModel]).
func (s *Selection) AllowsModel(n *NodeInfo, i int) bool {
	if s.must && !anyIs(s.use, n, i) {
		return false
	}
	return !anyIs(s.no, n, i)
}

func anyIs(names []string, n *NodeInfo, i int) bool {
	for _, name := range names {
		if n.IsModel(i, name) {
			return true
		}
	}
	return false
}

func anyIn(fragments []string, n *NodeInfo, i int) bool {
	for _, f := range fragments {
		if n.TypeContains(i, f) {
			return true
		}
	}
	return false
}

// String renders the lists for people.
func (s *Selection) String() string {
	var parts []string
	if s.must {
		parts = append(parts, "one of "+strings.Join(s.use, ", "))
	}
	if len(s.no) > 0 {
		parts = append(parts, "none of "+strings.Join(s.no, ", "))
	}
	return strings.Join(parts, " and ")
}
