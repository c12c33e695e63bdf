package testbed_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

// Waiting ends with the context, and says what was waited for.
func TestWaitingEnds(t *testing.T) {
	c := bed.Cluster(t)
	defer clear(t, c)
	pods, err := c.CreatePods(t.Context(), podOf("nobody", "waits"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	_, err = c.WaitBound(ctx, pods...)
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "pod default/waits: not bound: no scheduler has tried it") {
		t.Errorf("got %v", err)
	}
	if _, err = c.WaitRefused(ctx, pods[0]); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}
