package cambricon_test

import (
	"testing"

	"github.com/accelfit/accelfit/internal/testkit"
	"github.com/accelfit/accelfit/vendors/cambricon"
)

func FuzzModel(f *testing.F) { testkit.FuzzModel(f, cambricon.Vendor) }
