package awsneuron_test

import (
	"testing"

	"github.com/accelfit/accelfit/internal/testkit"
	"github.com/accelfit/accelfit/vendors/awsneuron"
)

func FuzzModel(f *testing.F) { testkit.FuzzModel(f, awsneuron.Vendor) }
