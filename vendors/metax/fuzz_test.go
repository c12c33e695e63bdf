package metax_test

import (
	"testing"

	"github.com/accelfit/accelfit/internal/testkit"
	"github.com/accelfit/accelfit/vendors/metax"
)

func FuzzGPU(f *testing.F) { testkit.FuzzModel(f, metax.VendorGPU) }

func FuzzSGPU(f *testing.F) { testkit.FuzzModel(f, metax.VendorSGPU) }
