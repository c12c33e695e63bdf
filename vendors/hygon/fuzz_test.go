package hygon_test

import (
	"testing"

	"github.com/accelfit/accelfit/internal/testkit"
	"github.com/accelfit/accelfit/vendors/hygon"
)

func FuzzModel(f *testing.F) { testkit.FuzzModel(f, hygon.Vendor) }
