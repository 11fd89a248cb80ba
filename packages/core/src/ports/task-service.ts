/**
 * What a front end asks of the engine: the HTTP adapter and the command line know it by this port.
 * An account sees its own tasks alone; another's is as unknown as one that never was.
 */
import type { ArtifactRow } from "../task/projection.ts"
import type { Rejection } from "../task/rejection.ts"
import type { Task } from "../task/task.ts"
import type { ArtifactReader } from "./artifact-storage.ts"
import type { ListPage, ListRequest } from "./storage.ts"

export interface TaskService {
  /**
   * Accepts a task; it is durable once resolved as `submitted`. Resolves early with a finished
   * task where a channel answers at once. Rejects with `storage-unavailable` or `overloaded`:
   * nothing was accepted.
   */
  submit(request: SubmitRequest): Promise<SubmitResult>
  /** The task, or undefined where the account has none with this id. */
  findTask(request: TaskRequest): Promise<Task | undefined>
  /** A page of the account's tasks, newest first; `Storage.listTasks` says what it promises. */
  listTasks(request: ListRequest): Promise<ListResult>
  /** The task's artifacts in order, expired ones included; undefined for an unknown task. */
  findArtifacts(request: TaskRequest): Promise<FoundArtifacts | undefined>
  /** Opens an artifact's bytes; `ArtifactStorage.open` says how it fails. */
  openArtifact(request: OpenArtifactRequest): Promise<ArtifactReader>
}

export interface SubmitRequest {
  readonly account: string
  readonly model: string
  /** As sent; checked against the model. */
  readonly parameters: unknown
}

export type SubmitResult =
  | { readonly kind: "submitted"; readonly task: Task }
  | { readonly kind: "rejected"; readonly rejection: Rejection }

export interface TaskRequest {
  readonly account: string
  readonly id: string
}

export type ListResult =
  | ({ readonly kind: "listed" } & ListPage)
  /** The request names a model that there is not; an empty list would hide the mistake. */
  | { readonly kind: "unknown-model"; readonly models: readonly string[] }

export interface FoundArtifacts {
  readonly task: Task
  readonly artifacts: readonly ArtifactRow[]
}

export interface OpenArtifactRequest {
  readonly artifact: ArtifactRow
  readonly start?: number
  readonly end?: number
}
