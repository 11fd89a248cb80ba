/**
 * A real service and agents before it: the official client, over HTTP, or over standard input of a command that the
 * client itself starts, as an agent's host does.
 */
import assert from "node:assert/strict"
import type { TestContext } from "node:test"
import { createKey } from "@safelight/access"
import { createClient, type Client as ApiClient } from "@safelight/client"
import type { ApiKeyScope } from "@safelight/core"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import {
  CallToolResultSchema,
  type CallToolResult,
  type Progress,
} from "@modelcontextprotocol/sdk/types.js"
import { createService, DEFAULTS, type Configuration, type Service } from "safelight"
import { COMPILED } from "../../support/own-process.ts"
import { createTemporaryFolder } from "../../support/temporary-folder.ts"
import { BIN } from "../command/command-process.ts"

export const DOORS = ["stdio", "http"] as const
export type Door = (typeof DOORS)[number]

export const IMAGE = "vendor-a/v4.1/flash/text-to-image"
export const EDIT = "vendor-b/imagine-image/v2.0/edit"
export const VIDEO = "vendor-c/video-2.5/reference-to-video"
export const LONG = { prompt: "[studio: delay 60s] fog" }

export interface AgentWorld extends AsyncDisposable {
  readonly service: Service
  readonly key: string
  /** The same account, by the API. */
  readonly api: ApiClient
  createKey(scopes?: readonly ApiKeyScope[]): Promise<{ readonly id: string; readonly key: string }>
}

export async function openAgentWorld(changes: Partial<Configuration> = {}): Promise<AgentWorld> {
  const places = new AsyncDisposableStack()
  const { path: data } = places.use(await createTemporaryFolder())
  const service = await createService({
    configuration: {
      ...DEFAULTS,
      port: 0,
      stopGraceMs: 1_000,
      studio: { sandbox: true },
      data,
      ...changes,
    },
  })
  places.defer(() => service.stop())
  const { storage, url } = service
  const create: AgentWorld["createKey"] = (scopes) =>
    createKey({ keys: storage, account: "ada", now: Date.now(), ...(scopes && { scopes }) })
  const { key } = await create()
  return {
    service,
    key,
    api: createClient({ url, key }),
    createKey: create,
    [Symbol.asyncDispose]: () => places.disposeAsync(),
  }
}

export interface Agent {
  readonly client: Client
  /** What a command has written to standard error. */
  readonly stderr: () => string
  call(name: string, given: object, options?: CallOptions): Promise<Answer>
}

interface CallOptions {
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: Progress) => void
}

/** A result, with the structured part as tests look into it. */
export interface Answer {
  readonly isError: boolean
  readonly content: CallToolResult["content"]
  // oxlint-disable-next-line typescript/no-explicit-any -- the shape is what tests are about
  readonly data: any
}

export interface AgentOptions {
  readonly key?: string
  /** Of the command. */
  readonly words?: readonly string[]
  /** Of requests. */
  readonly headers?: Readonly<Record<string, string>>
}

export async function openAgent(
  t: TestContext,
  door: Door,
  { url, key: own }: { readonly url: string; readonly key: string },
  { headers, key = own, words = [] }: AgentOptions = {},
): Promise<Agent> {
  let stderr = ""
  const client = new Client({ name: "test", version: "1" })
  const transport = door === "stdio" ? startCommand() : toHttp()
  function startCommand(): StdioClientTransport {
    const { HOME = "", PATH = "" } = process.env
    const started = new StdioClientTransport({
      command: process.execPath,
      args: [BIN, "mcp", "--url", url, ...words],
      env: { HOME, PATH, NODE_COMPILE_CACHE: COMPILED, SAFELIGHT_API_KEY: key },
      stderr: "pipe",
    })
    started.stderr?.on("data", (piece: Buffer) => void (stderr += piece.toString()))
    return started
  }
  function toHttp(): StreamableHTTPClientTransport {
    const all = { authorization: `Bearer ${key}`, ...headers }
    return new StreamableHTTPClientTransport(new URL("/mcp", url), {
      requestInit: { headers: all },
    })
  }
  t.after(() => client.close())
  await client.connect(transport)
  return {
    client,
    stderr: () => stderr,
    async call(name, given, { onProgress, signal } = {}) {
      const result = await client.callTool(
        { name, arguments: { ...given } },
        CallToolResultSchema,
        {
          timeout: 300_000,
          ...(signal && { signal }),
          ...(onProgress && { onprogress: onProgress }),
        },
      )
      const { content, isError = false, structuredContent: data } = result as CallToolResult
      return { content, isError, data }
    },
  }
}

/** The one image that stands in an answer. */
export function toImage({ content }: Answer): {
  readonly bytes: Buffer
  readonly mimeType: string
} {
  const [image, ...more] = content.filter(({ type }) => type === "image")
  assert.ok(image?.type === "image" && more.length === 0)
  return { bytes: Buffer.from(image.data, "base64"), mimeType: image.mimeType }
}
