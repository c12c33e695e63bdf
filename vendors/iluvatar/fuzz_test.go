package iluvatar_test

import (
	"testing"

	"github.com/accelfit/accelfit/internal/testkit"
)

func FuzzModel(f *testing.F) { testkit.FuzzModel(f, "BI-V150") }
