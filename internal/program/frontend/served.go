package frontend

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"net"
	"os"
	"os/exec"
	"syscall"

	"assay/internal/run/process"
)

// This file asks a clang that has started already to compile: one for which `assay-clang __serve` runs this process, or one
// above it (cmd/assay-clang/serve.cpp, where the protocol is). Tests, which compile thousands of small programs, are run so
// (make test): a start costs as much as it takes to compile one of them.

// socketVariable is the variable of the environment that names the socket where to ask first.
const socketVariable = "ASSAY_CLANG_SOCKET"

// runCompiler runs clang, or lets it run where it has started, and keeps what it writes.
func runCompiler(ctx context.Context, clang, directory string, args []string) (out, diagnostics []byte, _ process.Outcome, _ error) {
	if socket := os.Getenv(socketVariable); socket != "" {
		if out, diagnostics, outcome, ok := served(ctx, socket, directory, append([]string{clang}, args...)); ok {
			return out, diagnostics, outcome, nil
		}
	}
	var stdout, stderr bytes.Buffer
	cmd := exec.Command(clang, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = directory, &stdout, &stderr
	outcome, err := process.Run(ctx, cmd, process.Limits{})
	return stdout.Bytes(), stderr.Bytes(), outcome, err
}

// served asks at a socket. It is not ok if nobody is there, that is another clang, or no answer comes: then nothing is known.
func served(ctx context.Context, socket, directory string, args []string) (out, diagnostics []byte, outcome process.Outcome, ok bool) {
	connection, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: socket, Net: "unix"})
	if err != nil {
		return nil, nil, outcome, false
	}
	defer connection.Close()
	if directory == "" || directory[0] != '/' {
		here, err := os.Getwd()
		if err != nil {
			return nil, nil, outcome, false
		}
		directory = here + "/" + directory
	}
	strings := append([]string{directory}, args...)
	var text []byte
	for _, s := range append(strings, os.Environ()...) {
		text = append(append(text, s...), 0)
	}
	request := binary.NativeEndian.AppendUint32(nil, uint32(len(text)))
	request = append(binary.NativeEndian.AppendUint32(request, uint32(len(args))), text...)

	null, err := os.Open(os.DevNull)
	if err != nil {
		return nil, nil, outcome, false
	}
	defer null.Close()
	var contents [2][]byte
	var files []int
	var ends []*os.File // of the pipes: theirs
	written := make(chan error, len(contents))
	defer func() {
		for _, f := range ends {
			f.Close()
		}
	}()
	files = append(files, int(null.Fd()))
	for i := range contents {
		read, write, err := os.Pipe()
		if err != nil {
			return nil, nil, outcome, false
		}
		ends, files = append(ends, write), append(files, int(write.Fd()))
		go func() {
			var err error
			contents[i], err = io.ReadAll(read)
			read.Close()
			written <- err
		}()
	}
	_, _, err = connection.WriteMsgUnix(request[:1], syscall.UnixRights(files...), nil)
	if err == nil {
		_, err = connection.Write(request[1:])
	}
	for _, f := range ends {
		f.Close()
	}
	if err != nil {
		return nil, nil, outcome, false
	}
	stop := context.AfterFunc(ctx, func() { connection.Close() })
	defer stop()
	var answer [4]byte
	_, err = io.ReadFull(connection, answer[:])
	for range contents {
		if failed := <-written; err == nil {
			err = failed
		}
	}
	switch {
	case ctx.Err() != nil:
		return nil, nil, process.Outcome{Cancelled: true, ExitCode: -1}, true
	case err != nil:
		return nil, nil, outcome, false
	}
	status := syscall.WaitStatus(binary.NativeEndian.Uint32(answer[:]))
	outcome.ExitCode = status.ExitStatus()
	if status.Signaled() {
		outcome.Signal = status.Signal()
	}
	return contents[0], contents[1], outcome, true
}
