/** The task API in the shapes of OpenAI's image API, over the service's own handler. */
export {
  createOpenAiHandler,
  type OpenAiHandler,
  type OpenAiHandlerOptions,
  type OpenAiRequest,
} from "./handler.ts"
