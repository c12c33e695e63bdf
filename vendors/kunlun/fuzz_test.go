package kunlun_test

import (
	"testing"

	"github.com/accelfit/accelfit/internal/testkit"
	"github.com/accelfit/accelfit/vendors/kunlun"
)

func FuzzModel(f *testing.F) { testkit.FuzzModel(f, kunlun.Vendor) }

// FuzzVirtual: memory alone limits what is given of a card; the slots and cores that it registers do not.
func FuzzVirtual(f *testing.F) {
	testkit.FuzzModel(f, kunlun.VendorVirtual, testkit.SlotsUnchecked, testkit.CoresUnchecked)
}
