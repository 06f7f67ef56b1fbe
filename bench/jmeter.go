package main

import (
	"encoding/xml"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// jmeterArgs runs Apache JMeter without its window on a plan of the same work. Nothing listens to the results: no file, no summary.
func jmeterArgs(j job) ([]string, error) {
	if j.requests < j.users {
		return nil, errCannot
	}
	plan, err := jmeterPlan(j)
	if err != nil {
		return nil, err
	}
	name := filepath.Join(j.dir, "plan.jmx")
	if err := os.WriteFile(name, []byte(plan), 0o644); err != nil {
		return nil, err
	}
	return []string{"jmeter", "-n", "-t", name, "-j", filepath.Join(j.dir, "jmeter.log"), "-Jsummariser.name="}, nil
}

// jmeterPlan writes a thread group with one sampler. A user stays the same in all its iterations: JMeter else closes its
// connection after each of them.
func jmeterPlan(j job) (string, error) {
	to, err := url.Parse(j.url)
	if err != nil {
		return "", err
	}
	method, body := "GET", ""
	if j.work.Body != nil {
		name, err := bodyFile(j)
		if err != nil {
			return "", err
		}
		// A lone file without a parameter's name is sent as it is.
		method, body = "POST", `
      <elementProp name="HTTPsampler.Files" elementType="HTTPFileArgs">
        <collectionProp name="HTTPFileArgs.files">
          <elementProp name="body" elementType="HTTPFileArg">
            <stringProp name="File.path">`+escapeXML(name)+`</stringProp>
            <stringProp name="File.paramname"></stringProp>
            <stringProp name="File.mimetype">application/octet-stream</stringProp>
          </elementProp>
        </collectionProp>
      </elementProp>`
	}
	return fmt.Sprintf(`<?xml version="1.0" encoding="UTF-8"?>
<jmeterTestPlan version="1.2" properties="5.0" jmeter="5.6.3">
<hashTree>
  <TestPlan guiclass="TestPlanGui" testclass="TestPlan" testname="bench"/>
  <hashTree>
    <ThreadGroup guiclass="ThreadGroupGui" testclass="ThreadGroup" testname="users">
      <intProp name="ThreadGroup.num_threads">%d</intProp>
      <intProp name="ThreadGroup.ramp_time">0</intProp>
      <boolProp name="ThreadGroup.same_user_on_next_iteration">true</boolProp>
      <stringProp name="ThreadGroup.on_sample_error">continue</stringProp>
      <elementProp name="ThreadGroup.main_controller" elementType="LoopController">
        <stringProp name="LoopController.loops">%d</stringProp>
        <boolProp name="LoopController.continue_forever">false</boolProp>
      </elementProp>
    </ThreadGroup>
    <hashTree>
      <HTTPSamplerProxy guiclass="HttpTestSampleGui" testclass="HTTPSamplerProxy" testname="request">
        <stringProp name="HTTPSampler.protocol">%s</stringProp>
        <stringProp name="HTTPSampler.domain">%s</stringProp>
        <stringProp name="HTTPSampler.port">%s</stringProp>
        <stringProp name="HTTPSampler.path">%s</stringProp>
        <stringProp name="HTTPSampler.method">%s</stringProp>
        <boolProp name="HTTPSampler.use_keepalive">%s</boolProp>
        <boolProp name="HTTPSampler.postBodyRaw">false</boolProp>%s
      </HTTPSamplerProxy>
      <hashTree/>
    </hashTree>
  </hashTree>
</hashTree>
</jmeterTestPlan>
`, j.users, j.requests/j.users, to.Scheme, to.Hostname(), to.Port(), escapeXML(to.RequestURI()), method, strconv.FormatBool(!j.work.Close), body), nil
}

func escapeXML(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a builder takes everything
	return b.String()
}
