/**
 * A service's configuration once every source was read and checked: what `createService` takes.
 * Where a field came from is forgotten here; `load-configuration.ts` knows it.
 */
import type { Model, PriceBook } from "@safelight/core"
import type { AccountDefaults } from "./account-defaults.ts"
import type { ChannelSettings } from "./channel-settings.ts"

export type LogLevel = "silent" | "error" | "warn" | "info"

/** What a process does: answer requests, carry tasks out, or both. */
export type Role = "all" | "api" | "worker"

export interface Configuration {
  /** Absolute path of the configuration file that was read; absent: none. */
  readonly file?: string
  readonly role: Role
  /** Address or name to listen on; IPv6 without brackets. */
  readonly host: string
  /** 0: any free port. */
  readonly port: number
  /** Absolute path of the folder that holds everything which has no other place. */
  readonly data: string
  /** A PostgreSQL database, as a URL; absent: the one in the data folder. Holds a password: never logged. */
  readonly database?: string
  /** Where artifacts are kept: a bucket as `s3://…`, or a folder; absent: in the data folder. */
  readonly artifacts?: string
  /** For the bucket. */
  readonly credentials?: BucketCredentials
  /** Where clients reach the service, without a slash at its end; by default where it listens. */
  readonly publicUrl?: string
  readonly logLevel: LogLevel
  /** Whether the listener above serves /metrics, to anybody who reaches it. */
  readonly metrics: boolean
  /** Address of a listener for /metrics alone. */
  readonly metricsHost: string
  /** Its port, 0 for any free one; absent: there is none. */
  readonly metricsPort?: number
  /** How long a finished task's artifacts are kept. */
  readonly retentionMs: number
  readonly stopGraceMs: number
  /** What may be asked for: the three, and those of `modelFiles` or of a host. */
  readonly models: readonly Model[]
  /**
   * Absolute paths of the files that models come from, so that a thread can load them too; what a host
   * hands in has none.
   */
  readonly modelFiles: readonly string[]
  readonly prices: PriceBook
  readonly accounts: {
    /** Settings of an account that is made without any of its own. */
    readonly defaults: AccountDefaults
  }
  /** Who makes the tasks. */
  readonly channels: readonly ChannelSettings[]
  /** Whether what one channel refused for its content goes to another; absent: it does not. */
  readonly contentRefusals?: "final" | "ask-others"
  readonly engine: EngineLimits
  readonly studio: StudioLimits
  readonly media: MediaLimits
}

/** As far as it is read without running a file of the operator's. */
export type ReadConfiguration = Omit<Configuration, "models">

export interface BucketCredentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
}

/** An absent limit is the engine's own default. */
export interface EngineLimits {
  /** How long after its submission a task must have ended. */
  readonly endAfterMs?: number
  /** Attempts of one task that a channel accepted, over all channels. */
  readonly maxAttempts?: number
  readonly inputRetentionMs?: number
  /** How long a 202 may wait where a channel answers at once. */
  readonly graceMs?: number
  /** How long after expiry an artifact's bytes are removed. */
  readonly removeAfterMs?: number
  /** How long after `--adopt` the bytes of tasks from before stay. */
  readonly adoptionHoldMs?: number
}

export interface StudioLimits {
  /** Renderings at once, a process each. */
  readonly workers?: number
  /** Tasks it takes at once; those beyond its workers wait inside it. */
  readonly concurrency?: number
  /** Whether directives in prompts are obeyed; absent: on a first local start alone. */
  readonly sandbox?: boolean
}

export interface MediaLimits {
  /** Networks in CIDR notation that media may be fetched from although they are not public. */
  readonly allowedAddresses?: readonly string[]
  /** Networks that media may never be fetched from, also where they are allowed or public. */
  readonly deniedAddresses?: readonly string[]
}
