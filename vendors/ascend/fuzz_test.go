package ascend_test

import (
	"testing"

	"github.com/accelfit/accelfit/internal/testkit"
)

func FuzzModel(f *testing.F) { testkit.FuzzModel(f, "Ascend910B3") }

func FuzzPairs(f *testing.F) { testkit.FuzzModel(f, "Ascend910C") }
