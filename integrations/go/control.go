package tapedeck

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"
)

// control is the control API of one run (docs/control-api.md).
type control struct {
	url, token string
}

// Requests bypass proxies of the environment. An assertion may wait for a minute.
var client = &http.Client{Transport: &http.Transport{}, Timeout: 70 * time.Second}

func (c control) get(path string, parameters url.Values, into any) error {
	if len(parameters) > 0 {
		path += "?" + parameters.Encode()
	}
	return c.send("GET", path, nil, into)
}

func (c control) post(path string, body, into any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	return c.send("POST", path, bytes.NewReader(text), into)
}

func (c control) send(method, path string, body io.Reader, into any) error {
	request, err := http.NewRequest(method, c.url+path, body)
	if err != nil {
		return err
	}
	request.Header.Set("X-Tapedeck-Token", c.token)
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode/100 != 2 {
		return fmt.Errorf("tapedeck: %s %s: %d %s", method, path, response.StatusCode, text)
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(text, into)
}
