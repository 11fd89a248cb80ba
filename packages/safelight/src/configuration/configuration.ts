/**
 * A service's configuration, read from every source and checked: what `createService` takes. It does not tell
 * where a field came from; `load-configuration.ts` knows that.
 */
import type { ModelPlace } from "../models/model-places.ts"
import type { Model, PriceBook } from "@safelight/core"
import type { AccountDefaults } from "./account-defaults.ts"
import type { ChannelSettings } from "./channel-settings.ts"

export type LogLevel = "silent" | "error" | "warn" | "info"

/** What a process does: answer requests, carry tasks out, or both. */
export type Role = "all" | "api" | "worker"

export interface Configuration {
  /** Absolute path of the configuration file; absent if none was read. */
  readonly file?: string
  readonly role: Role
  /** Address or name to listen on; IPv6 without brackets. */
  readonly host: string
  /** 0: any free port. */
  readonly port: number
  /** Absolute path of the data folder, which holds everything that has no other place. */
  readonly data: string
  /** The URL of a PostgreSQL database; absent for the one in the data folder. It may hold a password: never logged. */
  readonly database?: string
  /**
   * The URL of the same database past a pooler that works by transaction, for the one connection that listens for
   * wake-ups. It may hold a password: never logged.
   */
  readonly listenDatabase?: string
  /**
   * The URL of a standby of that database, for reads behind lists, usage, exports and audits. It may hold a password:
   * never logged.
   */
  readonly readDatabase?: string
  /** The place for artifacts: a bucket as `s3://…`, or a folder; absent for the data folder. */
  readonly artifacts?: string
  /** Of the bucket; absent if its client finds them. */
  readonly credentials?: BucketCredentials
  /** Where clients reach the service, without a slash at its end; by default where it listens. */
  readonly publicUrl?: string
  readonly logLevel: LogLevel
  /** Whether the listener above serves /metrics, to anybody who reaches it. */
  readonly metrics: boolean
  /** Whether the console is served at `/`; without it nobody can sign in by a link either. */
  readonly console: boolean
  /** Whether /openapi.json and /docs are served. */
  readonly reference: boolean
  /** Whether agents are answered at /mcp, by the Model Context Protocol. */
  readonly mcp: boolean
  /** Whether programs that speak to OpenAI are answered below /openai/v1. */
  readonly openai: boolean
  /** Address of a listener for /metrics alone. */
  readonly metricsHost: string
  /** The port of that listener, 0 for any free one; absent if there is no such listener. */
  readonly metricsPort?: number
  /** How long a finished task's artifacts are kept. */
  readonly retentionMs: number
  readonly stopGraceMs: number
  /** The public models: the three, and those of `modelFiles` or of a host. */
  readonly models: readonly Model[]
  /**
   * Absolute paths of the files and folders that define models, so that a thread can load them too, and whether
   * the three are served. Models that a host passes in have none.
   */
  readonly modelFiles: readonly ModelPlace[]
  readonly prices: PriceBook
  /** What all amounts are in, for people: `EUR`, `credits`; absent: they are numbers without a name. */
  readonly currency?: string
  readonly accounts: {
    /** Settings of an account that is made without any of its own. */
    readonly defaults: AccountDefaults
  }
  /** The channels that make the tasks. */
  readonly channels: readonly ChannelSettings[]
  /** Whether a task that one channel refused for its content is offered to others; absent: `final`. */
  readonly contentRefusals?: "final" | "ask-others"
  /** Whether artifacts that are read whole are compared with the log; absent: they are. */
  readonly verifyReads?: boolean
  readonly engine: EngineLimits
  readonly studio: StudioLimits
  readonly media: MediaLimits
  readonly webhooks: WebhookLimits
  readonly checkpoints: CheckpointSettings
  readonly archive: ArchiveSettings
}

/** The part that is read without running an operator's file. */
export interface ReadConfiguration extends Omit<Configuration, "models"> {
  /** Why the files that it names may not run, in words for people; absent if they may. */
  readonly codeFault?: string
}

export interface BucketCredentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
}

/** An absent limit has the engine's own default. */
export interface EngineLimits {
  /** How long after its submission a task must have ended. */
  readonly endAfterMs?: number
  /** Attempts of one task that a channel accepted, over all channels. */
  readonly maxAttempts?: number
  readonly inputRetentionMs?: number
  /** How long a 202 may wait for a channel that answers at once. */
  readonly graceMs?: number
  /** How long after expiry an artifact's bytes are removed. */
  readonly removeAfterMs?: number
  /** How long after `--adopt` the bytes of earlier tasks are kept. */
  readonly adoptionHoldMs?: number
  /** Whether a task that nobody can make now waits instead of being refused. */
  readonly queueUnavailable?: boolean
}

export interface StudioLimits {
  /** Renderings at once, a process each. */
  readonly workers?: number
  /** Tasks that it takes at once; those above its workers wait inside it. */
  readonly concurrency?: number
  /** Whether directives in prompts are obeyed; absent: only by a first local start. */
  readonly sandbox?: boolean
}

export interface MediaLimits {
  /** Networks in CIDR notation that media may be fetched from although they are not public. */
  readonly allowedAddresses?: readonly string[]
  /** Networks in CIDR notation that media may never be fetched from, even if they are allowed or public. */
  readonly deniedAddresses?: readonly string[]
}

/** Without a key the log has no signed tree. */
export interface CheckpointSettings {
  /** The secret that signs, from SAFELIGHT_SIGNING_KEY: never logged. */
  readonly signingKey?: string
  /** Public keys by which the log's checkpoints are verified: former ones, and those of other processes. */
  readonly keys?: readonly string[]
  /** Where checkpoints are kept outside of the database: absolute paths of files, s3:// and http(s) addresses. */
  readonly copies?: readonly string[]
}

export interface ArchiveSettings {
  /** How long after its end a task moves from the database to a segment; absent: it stays. */
  readonly afterMs?: number
}

export interface WebhookLimits {
  /** Networks in CIDR notation that webhooks may lead to although they are not public. */
  readonly allowedAddresses?: readonly string[]
  /** Networks in CIDR notation that webhooks may never lead to, even if they are allowed or public. */
  readonly deniedAddresses?: readonly string[]
  readonly endpointsPerAccount?: number
}
