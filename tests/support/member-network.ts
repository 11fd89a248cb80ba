/**
 * Machines of a test that have a network of their own: a namespace of Linux for each, and one for the hub
 * that joins them. None can be reached from outside, and the cable of each can be pulled. Whatever becomes
 * of the process that made them, a shell beside it then kills what runs in them and removes the folder.
 */
import { execFile, spawn, type ChildProcess, type StdioOptions } from "node:child_process"
import { once } from "node:events"
import { readdirSync, readFileSync, readlinkSync } from "node:fs"
import { setTimeout as delay } from "node:timers/promises"
import { promisify } from "node:util"

export interface Machine {
  readonly address: string
  /** Starts a program there as this user. */
  run(command: readonly string[], owner: Owner, stdio: StdioOptions): ChildProcess
  /** Sends it to every process there, also to those that are begun meanwhile. */
  signal(signal: "SIGKILL" | "SIGSTOP" | "SIGCONT"): Promise<void>
  /** Those of its processes whose title has this in it. */
  find(title: RegExp): readonly number[]
}

export interface MemberNetwork extends AsyncDisposable {
  readonly hub: Machine
  readonly members: readonly Machine[]
  /** Pulls the cable of a member: nothing is answered, nothing is refused. */
  cut(member: Machine): Promise<void>
  mend(member: Machine): Promise<void>
}

export interface Owner {
  readonly uid: number
  readonly gid: number
}

const run = promisify(execFile)

const toAddress = (last: number): string => `10.77.0.${last}`
const HUB = 254

/** Kills whatever is in the namespaces once the starter's end of the pipe closes. */
const GUARD = `read -r _
folder=$1; shift
while pids=$(find /proc/[0-9]*/ns/net "$@" 2>/dev/null | cut -d/ -f3) && [ -n "$pids" ]
do kill -9 $pids; sleep 0.1; done 2>/dev/null
rm -rf "$folder"`

/** Needs the rights of an administrator. The folder is removed with it. */
export async function openMemberNetwork(count: number, folder: string): Promise<MemberNetwork> {
  const holders = await Promise.all(Array.from({ length: count + 1 }, openNamespace))
  const guard = startGuard(folder, holders)
  const [hub, ...others] = holders
  if (hub === undefined) throw new TypeError("a network has a hub")
  await inside(
    hub,
    `ip link add hub type bridge && ip addr add ${toAddress(HUB)}/24 dev hub && ip link set hub up`,
  )
  for (const [at, holder] of others.entries()) await plug(hub, holder, at + 1)
  const members = others.map((holder, at) => toMachine(holder, toAddress(at + 1)))
  const set = (member: Machine, state: "up" | "down") =>
    inside(hub, `ip link set m${members.indexOf(member) + 1} ${state}`)
  return {
    hub: toMachine(hub, toAddress(HUB)),
    members,
    cut: (member) => set(member, "down"),
    mend: (member) => set(member, "up"),
    async [Symbol.asyncDispose]() {
      const ended = once(guard, "exit")
      guard.stdin?.end()
      await ended
    },
  }
}

/** A process that only holds the namespace. */
interface Holder {
  readonly pid: number
  readonly id: string
}

async function openNamespace(): Promise<Holder> {
  const child = spawn("unshare", ["--net", "sh", "-c", "ip link set lo up && echo && exec cat"], {
    stdio: ["pipe", "pipe", "inherit"],
  })
  const opened = once(child.stdout, "data")
  const ended = once(child, "exit").then(([code]) => {
    throw new Error(`no network namespace: unshare ended with ${code}`)
  })
  ended.catch(() => {})
  await Promise.race([opened, ended])
  const pid = child.pid ?? 0
  return { pid, id: readlinkSync(`/proc/${pid}/ns/net`) }
}

async function plug(hub: Holder, { pid }: Holder, number: number): Promise<void> {
  await inside(hub, `ip link add m${number} type veth peer name eth0 netns ${pid}`)
  await inside(hub, `ip link set m${number} master hub up`)
  const commands = `ip addr add ${toAddress(number)}/24 dev eth0 && ip link set eth0 up`
  await inside({ pid }, commands)
}

async function inside({ pid }: Pick<Holder, "pid">, commands: string): Promise<void> {
  await run("nsenter", [`--net=/proc/${pid}/ns/net`, "sh", "-c", commands])
}

function startGuard(folder: string, holders: readonly Holder[]): ChildProcess {
  // As a pattern, in which brackets mean something else.
  const names = holders.flatMap(({ id }) => ["-o", "-lname", id.replaceAll(/[[\]]/g, "?")])
  const words = ["-c", GUARD, "guard", folder, ...names.slice(1)]
  // In a group of its own, so that Ctrl-C does not end it first.
  return spawn("/bin/sh", words, { detached: true, stdio: ["pipe", "ignore", "inherit"] })
}

function toMachine({ id, pid: holder }: Holder, address: string): Machine {
  function list(): number[] {
    const all = readdirSync("/proc").filter((name) => /^\d+$/.test(name))
    return all.map(Number).filter((pid) => pid !== holder && isInside(pid, id))
  }
  return {
    address,
    run: (command, { gid, uid }, stdio) =>
      spawn(
        "nsenter",
        [`--net=/proc/${holder}/ns/net`, `--setgid=${gid}`, `--setuid=${uid}`, ...command],
        { stdio, env: { PATH: process.env["PATH"], LANG: "C.UTF-8" } },
      ),
    async signal(signal) {
      const done = new Set<number>()
      for (;;) {
        const pids = list().filter((pid) => signal === "SIGKILL" || !done.has(pid))
        if (pids.length === 0) return
        for (const pid of pids) {
          signalProcess(pid, signal)
          done.add(pid)
        }
        await delay(5)
      }
    },
    find: (title) => list().filter((pid) => title.test(readTitle(pid))),
  }
}

/** False also of what has ended and waits to be reaped. */
function isInside(pid: number, id: string): boolean {
  try {
    return readlinkSync(`/proc/${pid}/ns/net`) === id
  } catch {
    return false
  }
}

function readTitle(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8")
  } catch {
    return ""
  }
}

export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error
  }
}
