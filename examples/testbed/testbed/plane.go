package testbed

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// startEtcd starts etcd. Its clients, and peers, must have a certificate of its own authority.
func (c *Cluster) startEtcd(ctx context.Context) error {
	pair, err := c.etcdAuthority.Server()
	if err != nil {
		return err
	}
	cert, key, ca, err := c.writePair("etcd", pair, c.etcdAuthority)
	if err != nil {
		return err
	}
	client, err := httpClient(c.etcdAuthority, &pair)
	if err != nil {
		return err
	}
	return onFreePorts(false, func() error {
		clients, err := freePort()
		if err != nil {
			return err
		}
		peers, err := freePort()
		if err != nil {
			return err
		}
		clientURL, peerURL := "https://127.0.0.1:"+clients, "https://127.0.0.1:"+peers
		c.etcd, err = launch(etcdBinary, filepath.Join(c.options.Bin, etcdBinary), c.logOf(etcdBinary), []string{
			"--name=default", "--data-dir=" + filepath.Join(c.state(), "etcd"), "--unsafe-no-fsync", "--log-level=error",
			"--listen-client-urls=" + clientURL, "--advertise-client-urls=" + clientURL,
			"--listen-peer-urls=" + peerURL, "--initial-advertise-peer-urls=" + peerURL, "--initial-cluster=default=" + peerURL,
			"--cert-file=" + cert, "--key-file=" + key, "--trusted-ca-file=" + ca, "--client-cert-auth",
			"--peer-cert-file=" + cert, "--peer-key-file=" + key, "--peer-trusted-ca-file=" + ca, "--peer-client-cert-auth",
		}, nil)
		if err != nil {
			return err
		}
		c.etcdURL = clientURL
		return c.etcd.await(ctx, func(ctx context.Context) error { return answers(ctx, client, clientURL+"/health") })
	})
}

// startAPIServer starts kube-apiserver.
func (c *Cluster) startAPIServer(ctx context.Context) error {
	files, err := c.apiServerFiles()
	if err != nil {
		return err
	}
	admin, err := c.authority.Client(Admin, mastersGroup)
	if err != nil {
		return err
	}
	client, err := httpClient(c.authority, &admin)
	if err != nil {
		return err
	}
	return onFreePorts(c.options.Port != 0, func() error {
		port := strconv.Itoa(c.options.Port)
		if c.options.Port == 0 {
			if port, err = freePort(); err != nil {
				return err
			}
		}
		c.url = "https://127.0.0.1:" + port
		binary := filepath.Join(c.options.Bin, apiServerBinary)
		c.apiServer, err = launch(apiServerBinary, binary, c.logOf(apiServerBinary), c.apiServerFlags(port, files), nil)
		if err != nil {
			return err
		}
		return c.apiServer.await(ctx, func(ctx context.Context) error { return answers(ctx, client, c.url+"/readyz") })
	})
}

// apiServerFlags are kube-apiserver's arguments: the given ones, which name files, and others.
func (c *Cluster) apiServerFlags(port string, files []string) []string {
	mode := "AlwaysAllow"
	if c.options.RBAC {
		mode = "RBAC"
	}
	off := slices.DeleteFunc([]string{"ServiceAccount", "TaintNodesByCondition"}, func(plugin string) bool {
		return slices.Contains(c.options.EnableAdmission, plugin)
	})
	return slices.Concat(files, []string{
		"--etcd-servers=" + c.etcdURL, "--bind-address=127.0.0.1", "--secure-port=" + port, "--anonymous-auth=false",
		"--authorization-mode=" + mode, "--disable-admission-plugins=" + strings.Join(off, ","),
		"--service-account-issuer=https://testbed.invalid", "--endpoint-reconciler-type=none",
	}, c.options.APIServerFlags)
}

// apiServerFiles writes the certificates and keys that kube-apiserver needs, and returns the arguments that name them.
func (c *Cluster) apiServerFiles() ([]string, error) {
	server, err := c.authority.Server()
	if err != nil {
		return nil, err
	}
	cert, key, ca, err := c.writePair(apiServerBinary, server, c.authority)
	if err != nil {
		return nil, err
	}
	client, err := c.etcdAuthority.Client(apiServerBinary)
	if err != nil {
		return nil, err
	}
	etcdCert, etcdKey, etcdCA, err := c.writePair("etcd-client", client, c.etcdAuthority)
	if err != nil {
		return nil, err
	}
	tokens, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	text, err := keyPEM(tokens)
	if err != nil {
		return nil, err
	}
	tokenKey, err := c.write("service-accounts.key", text)
	return []string{
		"--cert-dir=" + c.state(), "--tls-cert-file=" + cert, "--tls-private-key-file=" + key, "--client-ca-file=" + ca,
		"--etcd-cafile=" + etcdCA, "--etcd-certfile=" + etcdCert, "--etcd-keyfile=" + etcdKey,
		"--service-account-key-file=" + tokenKey, "--service-account-signing-key-file=" + tokenKey,
	}, err
}

// writePair writes a key pair and its authority's certificate, and returns the paths.
func (c *Cluster) writePair(name string, pair KeyPair, a *Authority) (cert, key, ca string, err error) {
	for _, file := range []struct {
		path *string
		name string
		text []byte
	}{{&cert, name + ".crt", pair.Cert}, {&key, name + ".key", pair.Key}, {&ca, name + "-ca.crt", a.pem}} {
		if *file.path, err = c.write(file.name, file.text); err != nil {
			return "", "", "", err
		}
	}
	return cert, key, ca, nil
}

// write writes a file that Stop removes.
func (c *Cluster) write(name string, text []byte) (path string, err error) {
	path = filepath.Join(c.state(), name)
	return path, os.WriteFile(path, text, 0o600)
}

// httpClient is a client that trusts an authority, and keeps no connection. It shows a certificate if there is one.
func httpClient(a *Authority, pair *KeyPair) (*http.Client, error) {
	config := &tls.Config{RootCAs: a.Pool(), MinVersion: tls.VersionTLS12}
	if pair != nil {
		cert, err := tls.X509KeyPair(pair.Cert, pair.Key)
		if err != nil {
			return nil, err
		}
		config.Certificates = []tls.Certificate{cert}
	}
	return &http.Client{Transport: &http.Transport{TLSClientConfig: config, DisableKeepAlives: true}}, nil
}

// answers says why a URL does not answer with success.
func answers(ctx context.Context, client *http.Client, url string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	res, err := client.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		body, _ := io.ReadAll(io.LimitReader(res.Body, 1000))
		return fmt.Errorf("%s answers %s: %s", url, res.Status, body)
	}
	return nil
}
