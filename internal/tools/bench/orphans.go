package bench

// Processes that a task leaves behind. process.Run kills the process group of
// a task, but a descendant may have left the group (setsid), and an orphan is
// given to init, which a container may not have: then it stays a zombie for
// good. So a run makes this process the one that adopts orphans
// (PR_SET_CHILD_SUBREAPER, prctl(2)), and sweeps them up:
//
// 1. Orphans in the group of a task are reaped by process.Run, which adds
//    their processor time to that of the task.
// 2. After a task, adopted children whose environment carries the mark of the
//    task are killed and reaped.
// 3. A zombie has no environment. When no task is running, every child outside
//    our own group is adopted, since the commands of tasks have ended.

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"sync"

	"golang.org/x/sys/unix"
)

// orphanage keeps track of whether tasks are running: each holds the read lock.
type orphanage struct{ running sync.RWMutex }

// adopt makes this process the parent of orphans, for good.
func adopt() error {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("adopting orphans: %w", err)
	}
	return nil
}

// taskVariable is the variable in the environment of a task with its mark.
const taskVariable = "ASSAY_BENCH_TASK"

// sweep kills and reaps what a task with this mark, which has ended, left
// behind, and everything else if no task is running.
func (o *orphanage) sweep(mark string) {
	if o.running.TryLock() {
		sweepChildren(func(int) bool { return true })
		o.running.Unlock()
		return
	}
	marked := []byte(taskVariable + "=" + mark)
	sweepChildren(func(pid int) bool {
		// The environment of a process that has ended cannot be read.
		environment, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
		for variable := range bytes.SplitSeq(environment, []byte{0}) {
			if bytes.Equal(variable, marked) {
				return true
			}
		}
		return false
	})
}

// sweepChildren kills and reaps the children outside our process group that
// the filter names. The death of one can make its children ours: repeat.
func sweepChildren(filter func(pid int) bool) {
	for {
		found := false
		for _, pid := range foreignChildren() {
			if filter(pid) {
				found = true
				_ = unix.Kill(pid, unix.SIGKILL)
				for {
					if _, err := unix.Wait4(pid, nil, 0, nil); err != unix.EINTR {
						break
					}
				}
			}
		}
		if !found {
			return
		}
	}
}

// foreignChildren are the children of this process outside its process group.
func foreignChildren() []int {
	if unix.Waitid(unix.P_ALL, 0, nil, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil) == unix.ECHILD {
		return nil // no child at all, the usual case
	}
	self, group := os.Getpid(), unix.Getpgrp()
	var out []int
	for _, pid := range processes() {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			continue // ended meanwhile
		}
		// pid (name) state ppid pgrp …; the name may hold anything.
		fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
		if len(fields) < 3 {
			continue
		}
		parent, _ := strconv.Atoi(string(fields[1]))
		its, _ := strconv.Atoi(string(fields[2]))
		if parent == self && its != group {
			out = append(out, pid)
		}
	}
	return out
}

// processes are the numbers of all processes of the machine.
func processes() []int {
	proc, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer proc.Close()
	names, _ := proc.Readdirnames(-1)
	var out []int
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			out = append(out, pid)
		}
	}
	return out
}
