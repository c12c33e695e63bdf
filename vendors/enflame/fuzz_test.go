package enflame_test

import (
	"testing"

	"github.com/accelfit/accelfit/internal/testkit"
	"github.com/accelfit/accelfit/vendors/enflame"
)

// FuzzModel: the percentages of DRS cards, rounded up, may come to more than 100; slices are what counts.
func FuzzModel(f *testing.F) { testkit.FuzzModel(f, enflame.Vendor, testkit.CoresUnchecked) }

func FuzzGCU(f *testing.F) { testkit.FuzzModel(f, enflame.VendorGCU) }
