/** The processes that work for a host, as the system lists them: their numbers, without those that have ended. */
import { execFileSync } from "node:child_process"

export const listMeasuringWorkers = (host?: number) => listWorkers("measuring-worker", host)

export const listRenderWorkers = (host?: number) => listWorkers("render-worker", host)

function listWorkers(file: string, host: number = process.pid): readonly number[] {
  const rows = execFileSync("ps", ["-e", "-o", "pid=,ppid=,stat=,args="], { encoding: "utf8" })
  return rows
    .split("\n")
    .map((row) => row.trim().split(/\s+/))
    .filter((row) => Number(row[1]) === host && !row[2]?.startsWith("Z"))
    .filter((row) => row.some((word) => word.includes(file)))
    .map(([pid]) => Number(pid))
}
