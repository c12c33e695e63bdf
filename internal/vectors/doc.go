// Package vectors reads recorded decisions of the reference (HAMi v2.10) and compares them with accelfit's.
//
// A file is gzip'd JSON lines: a header, then sequences of steps. [Run] replays a sequence: after each step the recorded
// placement is put in force, so one difference never leads to others. Every recorded field is compared; a [Difference]
// must be claimed by exactly one [Deviation].
package vectors
