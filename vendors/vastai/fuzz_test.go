package vastai_test

import (
	"testing"

	"github.com/accelfit/accelfit/internal/testkit"
	"github.com/accelfit/accelfit/vendors/vastai"
)

func FuzzModel(f *testing.F) { testkit.FuzzModel(f, vastai.Vendor) }
