import { eventStream, json, type RecordedResponse } from './recorded-response.ts';

const llama: readonly RecordedResponse[] = [
  {
    server: 'llama.cpp',
    behaviour: '503 while a model loads',
    source: 'https://github.com/mindverse/Second-Me/issues/20',
    request: 'prompt',
    status: 503,
    contentType: json,
    body: '{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}',
    outcome: {
      kind: 'server_error',
      message: 'the service failed (503): Loading model',
      retries: 4,
    },
  },
  {
    server: 'llama.cpp',
    behaviour: 'a prompt longer than the context',
    source: 'https://github.com/ggml-org/llama.cpp/pull/15780, with the wording of later builds',
    request: 'prompt',
    status: 400,
    contentType: json,
    body: '{"error":{"code":400,"message":"request (4293 tokens) exceeds the available context size (4096 tokens), try increasing it","type":"exceed_context_size_error","n_prompt_tokens":4293,"n_ctx":4096}}',
    outcome: {
      kind: 'invalid_request',
      message: '(4293 tokens) exceeds the available context size (4096 tokens)',
      retries: 0,
    },
  },
  {
    server: 'llama.cpp',
    behaviour: 'the same error with status 200',
    source: 'https://github.com/oobabooga/textgen/issues/7257',
    request: 'prompt',
    status: 200,
    contentType: json,
    body: '{"error":{"code":400,"message":"the request exceeds the available context size. try increasing the context size or enable context shift","type":"exceed_context_size_error","n_prompt_tokens":14429,"n_ctx":8192}}',
    outcome: {
      kind: 'invalid_request',
      message: 'the request exceeds the available context size',
      retries: 0,
    },
  },
  {
    server: 'llama.cpp',
    behaviour: 'window and two lists in the list of models',
    source: 'https://ontouchstart.github.io/home/2026-10-06/cargo (build b11429)',
    request: 'models',
    status: 200,
    contentType: json,
    body: '{"data":[{"aliases":["models/gemma.gguf"],"created":1791322978,"id":"models/gemma.gguf","meta":{"ftype":"Q8_0","n_ctx":193024,"n_ctx_train":262144,"n_embd":3840,"size":12653822144},"object":"model","owned_by":"llamacpp","tags":[]}],"models":[{"capabilities":["completion"],"description":"","details":{"family":"","format":"gguf"},"digest":"","model":"models/gemma.gguf","modified_at":"","name":"models/gemma.gguf","parameters":"","size":"","type":"model"}],"object":"list"}',
    outcome: { models: [['models/gemma.gguf', 193_024]] },
  },
  {
    server: 'llama.cpp',
    behaviour: 'reasoning in `reasoning_content`, without text',
    source: 'https://ontouchstart.github.io/home/2026-10-06/cargo (build b11429)',
    request: 'prompt without stream',
    status: 200,
    contentType: json,
    body: '{"choices":[{"finish_reason":"length","index":0,"message":{"content":"","reasoning_content":"The user said \\"Hello!\\".\\n","role":"assistant"}}],"created":1791322972,"id":"chatcmpl-uwd8","model":"models/gemma.gguf","object":"chat.completion","timings":{"cache_n":13,"predicted_ms":1209.132},"usage":{"completion_tokens":10,"prompt_tokens":18,"prompt_tokens_details":{"cached_tokens":13},"total_tokens":28}}',
    outcome: {
      text: '',
      reasoning: 'The user said "Hello!".\n',
      finishReason: 'length',
      usage: { prompt_tokens: 18, completion_tokens: 10, total_tokens: 28 },
    },
  },
];

const ollama: readonly RecordedResponse[] = [
  {
    server: 'Ollama',
    behaviour: '404 for a model that is not pulled',
    source: 'https://github.com/netease-youdao/QAnything/issues/555',
    request: 'prompt',
    status: 404,
    contentType: json,
    body: '{"error":{"message":"model \\"ollama\\" not found, try pulling it first","type":"api_error","param":null,"code":null}}',
    outcome: {
      kind: 'not_found',
      message: '(404): model "ollama" not found, try pulling it first',
      retries: 0,
    },
  },
  {
    server: 'Ollama',
    behaviour: 'reasoning in `reasoning`, no usage',
    source: 'a public record of the protocol of Ollama 0.13.5, 10 January 2026',
    request: 'prompt',
    status: 200,
    contentType: eventStream,
    body: `data: {"id":"chatcmpl-774","object":"chat.completion.chunk","created":1768062791,"model":"qwen3:32b","system_fingerprint":"fp_ollama","choices":[{"index":0,"delta":{"role":"assistant","content":"","reasoning":"Okay"},"finish_reason":null}]}

data: {"id":"chatcmpl-774","object":"chat.completion.chunk","created":1768062791,"model":"qwen3:32b","system_fingerprint":"fp_ollama","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":"length"}]}

data: [DONE]

`,
    outcome: { text: '', reasoning: 'Okay', finishReason: 'length' },
  },
  {
    server: 'Ollama',
    behaviour: 'a list of models without windows',
    source: 'a public record of the protocol of Ollama 0.13.5, 10 January 2026',
    request: 'models',
    status: 200,
    contentType: json,
    body: '{"object":"list","data":[{"id":"qwen3:32b","object":"model","created":1756233996,"owned_by":"library"}]}',
    outcome: { models: [['qwen3:32b', undefined]] },
  },
];

const vllm: readonly RecordedResponse[] = [
  {
    server: 'vLLM',
    behaviour: '404 for an unknown model, the error without `error`',
    source: 'https://github.com/vllm-project/vllm/issues/3485',
    request: 'prompt',
    status: 404,
    contentType: json,
    body: '{"object":"error","message":"The model `Qwen1.5-14B-Chat-GPTQ-Int8` does not exist.","type":"NotFoundError","param":null,"code":404}',
    outcome: {
      kind: 'not_found',
      message: 'The model `Qwen1.5-14B-Chat-GPTQ-Int8` does not exist.',
      retries: 0,
    },
  },
  {
    server: 'vLLM',
    behaviour: 'refuses `stream_options` in old versions',
    source: 'https://github.com/modelscope/ms-agent/issues/489',
    request: 'prompt',
    status: 400,
    contentType: json,
    body: `{"object":"error","message":"[{'type': 'extra_forbidden', 'loc': ('body', 'stream_options'), 'msg': 'Extra inputs are not permitted', 'input': {}}]","type":"BadRequestError","param":null,"code":400}`,
    outcome: {
      kind: 'invalid_request',
      message: "('body', 'stream_options'), 'msg': 'Extra inputs are not permitted'",
      retries: 0,
    },
  },
  {
    server: 'vLLM',
    behaviour: 'window in the list of models',
    source: 'https://github.com/cbtham/rhoai-genai-workshop',
    request: 'models',
    status: 200,
    contentType: json,
    body: '{"object":"list","data":[{"id":"qwen3-4b-quantizedw4a16","object":"model","created":1743010793,"owned_by":"vllm","root":"/mnt/models","parent":null,"max_model_len":4096,"permission":[{"id":"modelperm-09f1","object":"model_permission","organization":"*","group":null,"is_blocking":false}]}]}',
    outcome: { models: [['qwen3-4b-quantizedw4a16', 4096]] },
  },
];

const studio: readonly RecordedResponse[] = [
  {
    server: 'LM Studio',
    behaviour: '200 for an unknown path',
    source: 'https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/618',
    request: 'prompt',
    status: 200,
    contentType: 'application/json; charset=utf-8',
    headers: { 'x-powered-by': 'Express' },
    body: '{"error":"Unexpected endpoint or method. (POST /chat/completions)"}',
    outcome: {
      kind: 'server_error',
      message: 'Unexpected endpoint or method. (POST /chat/completions)',
      retries: 0,
    },
  },
  {
    server: 'LM Studio',
    behaviour: 'a prompt longer than the context: status 200 and an `error` event',
    source: 'https://github.com/aaif-goose/goose/issues/11318',
    request: 'prompt',
    status: 200,
    contentType: eventStream,
    body: `event: error
data: {"error":{"message":"Input does not fit in context length. The input has 31430 tokens, but the context length only supports 30000 tokens."},"message":"Input does not fit in context length. The input has 31430 tokens, but the context length only supports 30000 tokens."}

`,
    outcome: {
      kind: 'server_error',
      message: 'The input has 31430 tokens, but the context length only supports 30000 tokens.',
      retries: 0,
    },
  },
  {
    server: 'LM Studio',
    behaviour: 'embedding models in the list, no windows',
    source: 'https://github.com/Corvidae-Coding-Projects/OpenClaudia/issues/1',
    request: 'models',
    status: 200,
    contentType: json,
    body: '{"data":[{"id":"openai/gpt-oss-20b","object":"model","owned_by":"organization_owner"},{"id":"text-embedding-nomic-embed-text-v1.5","object":"model","owned_by":"organization_owner"}],"object":"list"}',
    outcome: {
      models: [
        ['openai/gpt-oss-20b', undefined],
        ['text-embedding-nomic-embed-text-v1.5', undefined],
      ],
    },
  },
];

export const localServers = [...llama, ...ollama, ...vllm, ...studio];
