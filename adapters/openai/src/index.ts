/** The task API in the shapes of OpenAI's image and video API, over the service's own handler. */
export type { Answer as OpenAiAnswer } from "./answers/answer.ts"
export {
  createOpenAiHandler,
  type OpenAiHandler,
  type OpenAiHandlerOptions,
  type OpenAiPurchase,
  type OpenAiRequest,
} from "./handler.ts"
