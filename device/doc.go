// Package device holds the values that every other package of accelfit speaks in, and the contract a vendor fulfils.
//
// # Values
//
// A [DeviceInfo] is one physical device as its node describes it, a [NodeInfo] all devices of a node. A [DeviceUsage] is
// what is taken of one device, a [NodeUsage] a node together with the usage of its devices. A [ContainerRequest] is what
// one container asks of one vendor, an [Allocation] the devices a pod was given, a [Reason] why a device did not serve.
// All of them are plain values: nothing here reads a clock, logs, or keeps state between calls.
//
// # Units
//
// Memory is in MiB. Cores are percent of one card (100 = one card) unless a vendor's documentation says otherwise.
// A slot is the right of one task to share a device. All amounts are 64-bit; what the wire formats carry is limited to
// 32 bits and checked when it is read.
//
// # Ownership and concurrency
//
// [NodeInfo] and [NodeUsage] are immutable once built: [NodeUsage.With] returns a new value, so holding on to the old
// pointer is a revert, and readers need no lock. Slices and maps handed out by other types belong to the caller unless
// their documentation says otherwise.
//
// # Wire formats
//
// The codecs in this package read and write what HAMi's node agents and scheduler exchange in annotations: device
// registration (JSON and legacy text), pair scores, allocations, MIG reservations, handshakes and node locks. Every
// decoder treats its input as hostile: it answers with a value or a [*DecodeError] naming the item and the field, in time
// linear in the input.
package device
