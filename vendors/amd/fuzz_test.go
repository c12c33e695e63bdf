package amd_test

import (
	"testing"

	"github.com/accelfit/accelfit/internal/testkit"
	"github.com/accelfit/accelfit/vendors/amd"
)

func FuzzModel(f *testing.F) { testkit.FuzzModel(f, amd.Vendor) }
