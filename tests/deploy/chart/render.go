// Renders a Helm chart with the template engine that Helm uses: Go's text/template, the functions of sprig, and those that
// Helm adds. Reads the folder of the chart and a file of values, and prints the rendered manifests.
//
//	GO111MODULE=off GOPATH=/usr/share/gocode go run render.go <chart> <values.yaml>
package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	"github.com/ghodss/yaml"
)

type files struct{ root string }

func (f files) Get(name string) string {
	text, err := os.ReadFile(filepath.Join(f.root, name))
	if err != nil {
		return ""
	}
	return string(text)
}

func read(path string) map[string]interface{} {
	text, err := os.ReadFile(path)
	check(err)
	values := map[string]interface{}{}
	check(yaml.Unmarshal(text, &values))
	return values
}

// merge replaces values of "into" by those of "from", key by key.
func merge(into, from map[string]interface{}) map[string]interface{} {
	for key, value := range from {
		inner, isMap := value.(map[string]interface{})
		known, wasMap := into[key].(map[string]interface{})
		if isMap && wasMap {
			into[key] = merge(known, inner)
		} else {
			into[key] = value
		}
	}
	return into
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func main() {
	chart := os.Args[1]
	all := template.New("chart").Option("missingkey=error")
	functions := sprig.TxtFuncMap()
	functions["include"] = func(name string, data interface{}) (string, error) {
		var out bytes.Buffer
		err := all.ExecuteTemplate(&out, name, data)
		return out.String(), err
	}
	functions["toYaml"] = func(value interface{}) (string, error) {
		text, err := yaml.Marshal(value)
		return strings.TrimSuffix(string(text), "\n"), err
	}
	functions["required"] = func(message string, value interface{}) (interface{}, error) {
		if value == nil || value == "" {
			return nil, errors.New(message)
		}
		return value, nil
	}
	all.Funcs(functions)
	names, err := filepath.Glob(filepath.Join(chart, "templates", "*"))
	check(err)
	sort.Strings(names)
	for _, name := range names {
		text, err := os.ReadFile(name)
		check(err)
		_, err = all.New(filepath.Base(name)).Parse(string(text))
		check(err)
	}
	about := read(filepath.Join(chart, "Chart.yaml"))
	data := map[string]interface{}{
		"Values":  merge(read(filepath.Join(chart, "values.yaml")), read(os.Args[2])),
		"Release": map[string]interface{}{"Name": "test", "Namespace": "default", "Service": "Helm"},
		"Chart":   map[string]interface{}{"Name": about["name"], "Version": about["version"], "AppVersion": about["appVersion"]},
		"Files":   files{chart},
	}
	for _, name := range names {
		base := filepath.Base(name)
		if strings.HasPrefix(base, "_") {
			continue
		}
		var out bytes.Buffer
		check(all.ExecuteTemplate(&out, base, data))
		if strings.HasSuffix(base, ".yaml") {
			fmt.Printf("---\n%s\n", out.String())
		}
	}
}
