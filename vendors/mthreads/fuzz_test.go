package mthreads_test

import (
	"testing"

	"github.com/accelfit/accelfit/internal/testkit"
	"github.com/accelfit/accelfit/vendors/mthreads"
)

func FuzzModel(f *testing.F) { testkit.FuzzModel(f, mthreads.Vendor) }
