package main

import (
	"fmt"
	"os"
)

// The README shows a part of this.
func Example() {
	if err := answer(os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// NODE     DEVICE    MODEL      SLOTS  MEMORY MiB   CORES %
	// gpu-1    nvidia-0  NVIDIA L4  0/10   0/23034      0/100
	// gpu-1    nvidia-1  NVIDIA L4  1/10   20000/23034  0/100
	// mixed-1  nvidia-0  NVIDIA L4  0/10   0/23034      0/100
	// mixed-1  nimbus-0  Nimbus N1  0/4    0/32768      0/100
	// mixed-1  nimbus-1  Nimbus N1  0/4    0/32768      0/100
	// mixed-1  nimbus-2  Nimbus N1  0/4    0/32768      0/100
	// mixed-1  nimbus-3  Nimbus N1  1/4    30000/32768  0/100
	// npu-1    nimbus-0  Nimbus N1  1/4    32768/32768  100/100
	// npu-1    nimbus-1  Nimbus N1  1/4    32768/32768  100/100
	// npu-1    nimbus-2  Nimbus N1  1/4    32768/32768  100/100
	// npu-1    nimbus-3  Nimbus N1  1/4    32768/32768  100/100
	// npu-1    nimbus-4  Nimbus N1  1/4    32768/32768  100/100
	// npu-1    nimbus-5  Nimbus N1  0/4    0/32768      0/100
	// npu-1    nimbus-6  Nimbus N1  0/4    0/32768      0/100
	// npu-1    nimbus-7  Nimbus N1  0/4    0/32768      0/100
	//
	// fusion fits on mixed-1: nvidia-0 (8000 MiB, 0 %), nimbus-0 (16000 MiB, 0 %), nimbus-1 (16000 MiB, 0 %), nimbus-2 (16000 MiB, 0 %)
	//   not on gpu-1: NodeInsufficientDevice
	//     nvidia-0: serves
	//     nvidia-1: CardInsufficientMemory (want 8000 MiB, have 3034 MiB)
	//   not on npu-1: NodeInsufficientDevice
	//
	// tune fits nowhere
	//   not on gpu-1: NodeInsufficientDevice
	//   not on mixed-1: 4/4 CardInsufficientMemory
	//     nimbus-2: CardInsufficientMemory (want 32768 MiB, have 16768 MiB)
	//     nimbus-1: CardInsufficientMemory (want 32768 MiB, have 16768 MiB)
	//     nimbus-0: CardInsufficientMemory (want 32768 MiB, have 16768 MiB)
	//     nimbus-3: CardInsufficientMemory (want 32768 MiB, have 2768 MiB)
	//   not on npu-1: 1/8 CardNotHealth, 2/8 CardNotFoundCustomFilterRule, 5/8 CardInsufficientMemory
	//     nimbus-7: serves
	//     nimbus-6: CardNotHealth
	//     nimbus-5: serves
	//     nimbus-4: CardInsufficientMemory (want 32768 MiB, have 0 MiB)
	//     nimbus-3: CardInsufficientMemory (want 32768 MiB, have 0 MiB)
	//     nimbus-2: CardInsufficientMemory (want 32768 MiB, have 0 MiB)
	//     nimbus-1: CardInsufficientMemory (want 32768 MiB, have 0 MiB)
	//     nimbus-0: CardInsufficientMemory (want 32768 MiB, have 0 MiB)
	//
	// chat fits on npu-1: nimbus-7 (8000 MiB, 25 %)
	//   not on gpu-1: NodeInsufficientDevice
}
