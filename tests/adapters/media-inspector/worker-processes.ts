/** The processes that measure for a host, as the system lists them. */
import { execFileSync } from "node:child_process"

/** Their process numbers. */
export function listWorkers(host: number | undefined = process.pid): readonly number[] {
  const rows = execFileSync("ps", ["-e", "-o", "pid=,ppid=,stat=,args="], { encoding: "utf8" })
  return rows
    .split("\n")
    .map((row) => row.trim().split(/\s+/))
    .filter((row) => Number(row[1]) === host && !row[2]?.startsWith("Z"))
    .filter((row) => row.some((word) => word.includes("measuring-worker")))
    .map(([pid]) => Number(pid))
}
