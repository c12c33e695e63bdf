package nvidia_test

import (
	"testing"

	"github.com/accelfit/accelfit/internal/testkit"
	"github.com/accelfit/accelfit/vendors/nvidia"
)

func FuzzModel(f *testing.F) { testkit.FuzzModel(f, nvidia.Vendor) }
