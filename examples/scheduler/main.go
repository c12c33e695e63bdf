// Command scheduler is kube-scheduler v1.37 with the plugin of package schedulerplugin compiled in. Its flags and configuration
// are kube-scheduler's; manifests/ has what a cluster needs.
package main

import (
	"os"

	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"          // the log format json
	_ "k8s.io/component-base/metrics/prometheus/clientgo" // metrics of clients
	_ "k8s.io/component-base/metrics/prometheus/version"  // the metric of the version
	"k8s.io/kubernetes/cmd/kube-scheduler/app"

	"github.com/accelfit/accelfit/examples/schedulerplugin"
)

func main() {
	var plugins schedulerplugin.Factory
	os.Exit(cli.Run(app.NewSchedulerCommand(app.WithPlugin(schedulerplugin.Name, plugins.New))))
}
