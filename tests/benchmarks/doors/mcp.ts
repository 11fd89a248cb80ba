/**
 * The door for agents: how long the official client waits for the list of tools where a hundred models are served,
 * through both transports, and what a call costs the service that waits for its task.
 */
import { readFile } from "node:fs/promises"
import { parseArgs } from "node:util"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { createTemporaryFolder } from "../../support/temporary-folder.ts"
import { BIN } from "../../service/command/command-process.ts"
import { startServer } from "../child-server.ts"
import { median, percentile, report } from "../measure.ts"

interface Announcement {
  readonly url: string
  readonly key: string
  readonly models: number
}

const { values } = parseArgs({ options: { quick: { type: "boolean", default: false } } })
const LISTS = values.quick ? 5 : 200
const CALLS = values.quick ? 10 : 500
/** The first ones load and compile. */
const WARM = 3

await using folder = await createTemporaryFolder()
await using server = await startServer<Announcement>("door-server", folder.path)
const { key, models, url } = server.announcement
if (models !== 100) throw new Error(`${models} models are served`)

async function measureLists(client: Client): Promise<readonly number[]> {
  const took: number[] = []
  for (let count = -WARM; count < LISTS; count += 1) {
    const startedAt = performance.now()
    const { tools } = await client.listTools()
    if (count >= 0) took.push(performance.now() - startedAt)
    if (!tools.some(({ name }) => name === "generate_image")) throw new Error("no tools")
  }
  return took
}

async function connectHttp(): Promise<Client> {
  const client = new Client({ name: "bench", version: "1" })
  const requestInit = { headers: { authorization: `Bearer ${key}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL("/mcp", url), { requestInit }))
  return client
}

async function connectStdio(): Promise<Client> {
  const client = new Client({ name: "bench", version: "1" })
  const { HOME = "", PATH = "" } = process.env
  const env = { HOME, PATH, SAFELIGHT_API_KEY: key }
  const args = [BIN, "mcp", "--url", url]
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env }))
  return client
}

async function residentKib(): Promise<number> {
  const status = await readFile(`/proc/${server.process.pid}/status`, "utf8")
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1])
}

const http = await connectHttp()
const stdio = await connectStdio()
const byHttp = await measureLists(http)
const byStdio = await measureLists(stdio)
await stdio.close()

const before = await residentKib()
const given = {
  model: "vendor-a/v4.1/flash/text-to-image",
  parameters: { prompt: "[studio: delay 60s] fog" },
  wait_seconds: 600,
}
let begun = 0
const { promise: allWait, resolve } = Promise.withResolvers<void>()
for (let count = 0; count < CALLS; count += 1) {
  const onprogress = (): void => {
    begun += 1
    if (begun === CALLS) resolve()
  }
  const options = { onprogress, timeout: 600_000 }
  // They end with the client.
  http.callTool({ name: "generate_image", arguments: given }, undefined, options).catch(() => {})
}
await allWait
const waiting = (await residentKib()) - before
await http.close()

report({
  mcpToolsListHttpMs: median(byHttp),
  mcpToolsListHttpP99Ms: percentile(byHttp, 0.99),
  mcpToolsListStdioMs: median(byStdio),
  mcpToolsListStdioP99Ms: percentile(byStdio, 0.99),
  mcpWaitingCallKib: waiting / CALLS,
})
