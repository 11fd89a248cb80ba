/**
 * A second thread of a started process. It sees what the first one can't while native code or a loop blocks
 * that: that the process uses more memory than it may, or that its host is gone. Then it kills the process,
 * with all its threads. It asks the process itself and not the system, so that it works the same everywhere.
 */
import { writeFileSync } from "node:fs"
import process from "node:process"

/** Native code writes to a few dozen megabytes of fresh memory in this time. */
const LOOK_EVERY_MS = 20

/** As the host gave them: the host may be gone before this process can ask for its parent. */
const [memoryBytes = 0, parent = 0] = process.argv.slice(2).map(Number)

offerToTheKernel()
setInterval(() => {
  if (process.memoryUsage.rss() <= memoryBytes && hasParent()) return
  process.kill(process.pid, "SIGKILL")
}, LOOK_EVERY_MS)

function hasParent(): boolean {
  // Windows gives an orphan no other parent.
  return process.platform === "win32" ? isRunning(parent) : process.ppid === parent
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    // For whatever reason: there is nobody to work for.
    return false
  }
}

/** If the machine itself runs out of memory, Linux ends this process first and not its host. */
function offerToTheKernel(): void {
  try {
    writeFileSync("/proc/self/oom_score_adj", "1000")
  } catch {
    // Another system, or one that does not allow it. The bound above holds all the same.
  }
}
