/** The processes that render for a host, as the system lists them. */
import { execFileSync } from "node:child_process"

/** Their process numbers. */
export function listWorkers(host: number | undefined): readonly number[] {
  const rows = execFileSync("ps", ["-e", "-o", "pid=,ppid=,args="], { encoding: "utf8" })
  return rows
    .split("\n")
    .map((row) => row.trim().split(/\s+/))
    .filter((row) => Number(row[1]) === host && row.some((word) => word.includes("render-worker")))
    .map(([pid]) => Number(pid))
}
