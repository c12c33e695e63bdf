package device

import (
	"strings"
	"time"
)

const (
	handshakeWord  = "Requesting"
	handshakeGrace = 60 * time.Second
	legacyTime     = "2006-01-02 15:04:05"
)

// Handshake evaluates a node's handshake annotation (spec core §2.7): value is the annotation (empty: absent), allocatable
// the node's allocatable number of the vendor's devices, now the time to judge by. A request that nobody answered within
// 60 seconds means that the devices are gone, unless the node still offers some. Where no request is pending, the answer
// asks for a new inventory and for Announce to be written on the node.
//
// Time stamps are read as RFC 3339 or in the zoneless form of older writers, which counts in now's location; new ones are
// written as RFC 3339 in UTC (deviation D25).
func Handshake(value string, allocatable int64, now time.Time) HealthAnswer {
	if !strings.Contains(value, handshakeWord) {
		return HealthAnswer{Healthy: true, Renew: true, Announce: handshakeWord + "_" + now.UTC().Format(time.RFC3339)}
	}
	asked, ok := handshakeTime(value, now.Location())
	expired := ok && !now.Before(asked.Add(handshakeGrace))
	return HealthAnswer{Healthy: !expired || allocatable > 0}
}

func handshakeTime(value string, zone *time.Location) (time.Time, bool) {
	_, stamp, ok := strings.Cut(value, "_")
	if !ok {
		return time.Time{}, false
	}
	if t, err := time.Parse(time.RFC3339, stamp); err == nil {
		return t, true
	}
	t, err := time.ParseInLocation(legacyTime, stamp, zone)
	return t, err == nil
}
