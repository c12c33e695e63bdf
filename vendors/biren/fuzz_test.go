package biren_test

import (
	"testing"

	"github.com/accelfit/accelfit/internal/testkit"
	"github.com/accelfit/accelfit/vendors/biren"
)

func FuzzModel(f *testing.F) { testkit.FuzzModel(f, biren.Vendor) }
