/** Everything that endpoints are made with; each takes what it needs once, when a handler is made. */
import type {
  CallbackService,
  ChangeService,
  Clock,
  InputService,
  LinkAccess,
  Log,
  Model,
  SignInService,
  OperatorInsight,
  ProofService,
  StatementService,
  TaskService,
  WebhookService,
} from "@safelight/core"
import type { IsStillAllowed, RateLimit } from "../access/check-access.ts"
import type { PublicPrefix } from "./addresses.ts"
import type { HostBindings } from "./exchange.ts"
import type { ThreadModels } from "../body/creation-job.ts"
import type { Compress } from "../content/content-coding.ts"
import type { HttpSettings } from "./defaults.ts"
import type { TaskWaits } from "./task-waits.ts"
import type { OpenStreams } from "../streams/open-streams.ts"

export interface MetricsText {
  readonly contentType: string
  readonly text: string
}

/** The files of a page, by their paths from its folder: `index.html`, `assets/…`. */
export interface PageFiles {
  readonly names: readonly string[]
  /** Rejects if the file can't be read. */
  readonly read: (name: string) => Promise<Uint8Array>
}

/** What answers the messages of agents, by the Model Context Protocol. */
export interface McpService {
  /** Resolves when the answer begins; calls `onOver` once it is over. */
  answer(question: McpQuestion): Promise<Response>
  /** Calls that wait for a task are answered at once. */
  end(): void
}

export interface McpQuestion {
  readonly request: Request
  /** The body, parsed. */
  readonly message: unknown
  readonly account: string
  /** The most that one task may cost, in micro-units. */
  readonly maxCostMicros: number | undefined
  /** Where clients reach the service. */
  readonly publicUrl: string
  /** The caller has left, or says that it sends no more, which looks the same. */
  readonly left: AbortSignal
  readonly onOver: () => void
}

/** What answers below /openai/v1, by the words of OpenAI's API. */
export interface OpenAiService {
  /** All resolve when the answer begins, and call `onOver` once it is over, also where they reject. */
  generateImages(question: OpenAiPurchase): Promise<OpenAiAnswer>
  editImages(question: OpenAiPurchase): Promise<OpenAiAnswer>
  createVideo(question: OpenAiPurchase): Promise<OpenAiAnswer>
  listVideos(question: OpenAiQuestion): Promise<OpenAiAnswer>
  showVideo(question: OpenAiQuestion, id: string): Promise<OpenAiAnswer>
  showVideoContent(question: OpenAiQuestion, id: string): Promise<OpenAiAnswer>
  deleteVideo(question: OpenAiQuestion, id: string): Promise<OpenAiAnswer>
  listModels(question: OpenAiQuestion): Promise<OpenAiAnswer>
  showModel(question: OpenAiQuestion, id: string): Promise<OpenAiAnswer>
  /** Calls that wait for a task are ended. */
  end(): void
}

export interface OpenAiAnswer {
  readonly status: number
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: ReadableStream<Uint8Array> | string | null
}

export interface OpenAiQuestion {
  readonly request: Request
  /** For each request of the task API that comes of this one. */
  readonly bindings: HostBindings
  /** The caller has left, or says that it sends no more, which looks the same. */
  readonly left: AbortSignal
  readonly onOver: () => void
}

export interface OpenAiPurchase extends OpenAiQuestion {
  /** The body: a `FormData`, or any value of JSON. */
  readonly message: unknown
  /** Called once nothing of the message is needed any more. */
  readonly onTaken?: () => void
  /** The most that a task may cost, in micro-units. */
  readonly maxCostMicros: number | undefined
}

export interface Services {
  readonly service: TaskService
  readonly clock: Pick<Clock, "now" | "monotonicNow">
  readonly log: Log
  readonly settings: HttpSettings
  /** What amounts are in; undefined if it has no name. */
  readonly currency: string | undefined
  /** The models that a caller may choose from. */
  readonly models: readonly Model[]
  readonly threadModels: ThreadModels | undefined
  readonly links: LinkAccess
  /** Counts a request whose caller has no key. */
  readonly rateLimit: RateLimit
  /** For the ends of tasks. */
  readonly waits: TaskWaits
  /** Asked at each use, since a server knows its address only once it listens. */
  readonly publicUrl: () => string
  readonly prefix: PublicPrefix
  /** Rejects if the service can't be used now. */
  readonly checkReady: () => Promise<void>
  readonly changes: ChangeService | undefined
  readonly streams: OpenStreams
  /** For the key of a stream, or of a wait. */
  readonly isStillAllowed: IsStillAllowed
  readonly callbacks: CallbackService | undefined
  readonly inputs: InputService | undefined
  readonly webhooks: WebhookService | undefined
  readonly signIn: SignInService | undefined
  readonly insight: OperatorInsight | undefined
  readonly proofs: ProofService | undefined
  readonly statements: StatementService | undefined
  readonly mcp: McpService | undefined
  readonly openai: OpenAiService | undefined
  readonly metrics: (() => Promise<MetricsText>) | undefined
  /** The API's document; undefined if the host shows none. */
  readonly describeApi: (() => object) | undefined
  /** The console's files; undefined if the host serves none. */
  readonly consoleFiles: PageFiles | undefined
  /** Reads a file of an installed package, by its specifier; undefined if the host has no files. */
  readonly readPackageFile: ((specifier: string) => Promise<Uint8Array>) | undefined
  /** Returns the bytes as they are if the host doesn't compress. */
  readonly compress: Compress
}
