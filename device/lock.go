package device

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// ErrLockContention is wrapped by the error of [Lock.Take] when another pod holds a node's lock.
var ErrLockContention = errors.New("node lock contention")

// Lock is the value of the node annotation [AnnotationLock]: who binds devices on the node at the moment. Locks of the old
// form carry only a time.
type Lock struct {
	At        time.Time
	Namespace string
	Pod       string
}

// ParseLock reads the annotation (spec core §14.4). The error is a [*DecodeError].
func ParseLock(value string) (Lock, error) {
	parts := strings.Split(value, ",")
	if len(parts) != 1 && len(parts) != 3 {
		return Lock{}, &DecodeError{Err: fmt.Errorf("malformed lock annotation: expected 3 parts, got %d from %s", len(parts), value)}
	}
	at, err := time.Parse(time.RFC3339, parts[0])
	if err != nil {
		return Lock{}, &DecodeError{Err: fmt.Errorf("malformed lock annotation: %w", err)}
	}
	if len(parts) == 1 {
		return Lock{At: at}, nil
	}
	return Lock{at, parts[1], parts[2]}, nil
}

// String writes the lock as the value of the annotation.
func (l Lock) String() string {
	at := l.At.Format(time.RFC3339)
	if l.Namespace == "" && l.Pod == "" {
		return at
	}
	return at + "," + l.Namespace + "," + l.Pod
}

// Take says whether mine may replace the lock that value describes (empty: none): a lock older than timeout, one of the
// same pod, or one whose owner is gone (exists nil: no owner is). held tells that mine holds the lock already, so nothing needs to be written. The
// error wraps [ErrLockContention], or says why value cannot be read.
func (mine Lock) Take(node, value string, timeout time.Duration, exists func(namespace, pod string) bool) (held bool, err error) {
	if value == "" {
		return false, nil
	}
	old, err := ParseLock(value)
	if err != nil {
		return false, err
	}
	named := old.Pod != ""
	switch {
	case mine.At.Sub(old.At) > timeout:
		return false, nil
	case named && old.Namespace == mine.Namespace && old.Pod == mine.Pod:
		return true, nil
	case named && exists != nil && !exists(old.Namespace, old.Pod):
		return false, nil
	}
	return false, fmt.Errorf("node %s has been locked within %s: %w", node, timeout, ErrLockContention)
}

// Releases says whether a pod may remove the lock that value describes: its own, or one of the old form without owner.
func (mine Lock) Releases(value string) bool {
	return value != "" && (!strings.Contains(value, ",") || strings.HasSuffix(value, ","+mine.Namespace+","+mine.Pod))
}
