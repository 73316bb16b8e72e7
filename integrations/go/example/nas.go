// Package nas is a typical client of a device.
package nas

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
)

// Client sends requests to the device at Base.
type Client struct{ Base, sid string }

// LogIn opens a session.
func (c *Client) LogIn(account, password string) error {
	var session struct{ Sid string }
	err := c.Call(&session, "SVC.API.Auth", 7, "login", map[string]string{"account": account, "passwd": password, "format": "sid"})
	c.sid = session.Sid
	return err
}

// Call reads the data of a response into `into`.
func (c *Client) Call(into any, api string, version int, method string, parameters map[string]string) error {
	query := url.Values{"api": {api}, "version": {fmt.Sprint(version)}, "method": {method}, "_sid": {c.sid}}
	for name, value := range parameters {
		query.Set(name, value)
	}
	response, err := http.Get(c.Base + "/webapi/entry.cgi?" + query.Encode())
	if err != nil {
		return err
	}
	defer response.Body.Close()
	answer := struct {
		Success bool
		Error   struct{ Code int }
		Data    any
	}{Data: into}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		return err
	}
	if !answer.Success {
		return fmt.Errorf("%s %s: error %d", api, method, answer.Error.Code)
	}
	return nil
}
