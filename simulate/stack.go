package simulate

import "errors"

// ErrNoFork is returned by Revert and Commit without a Fork before.
var ErrNoFork = errors.New("no fork to end")

// Stack offers forks in the way of hosts that think in stacks, such as cluster-autoscaler: Fork opens a level, Revert drops
// it with all changes, Commit keeps them for the level below. It is used by one goroutine at a time.
type Stack struct{ levels []*Snapshot }

// NewStack starts a stack on a snapshot. The stack has a state of its own: base never sees its changes.
func NewStack(base *Snapshot) *Stack { return &Stack{levels: []*Snapshot{base.Fork()}} }

// Top is the snapshot to read and change. It is the same as long as its level is open, whatever is forked, reverted and
// committed above it.
func (s *Stack) Top() *Snapshot { return s.levels[len(s.levels)-1] }

// Depth is the number of open forks.
func (s *Stack) Depth() int { return len(s.levels) - 1 }

// Fork opens a level. Cost: O(1).
func (s *Stack) Fork() { s.levels = append(s.levels, s.Top().Fork()) }

// Revert drops the newest level. The error is [ErrNoFork] if there is none.
func (s *Stack) Revert() error {
	if s.Depth() == 0 {
		return ErrNoFork
	}
	s.levels = s.levels[:len(s.levels)-1]
	return nil
}

// Commit makes the newest level the state of the one below. The error is [ErrNoFork] if there is none.
func (s *Stack) Commit() error {
	if s.Depth() == 0 {
		return ErrNoFork
	}
	*s.levels[len(s.levels)-2] = *s.Top()
	s.levels = s.levels[:len(s.levels)-1]
	return nil
}
