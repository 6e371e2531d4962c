// The same answer through the `openai` package: `openai.cjs <base URL>`.
import OpenAI from 'openai';

async function run(): Promise<void> {
  const client = new OpenAI({ baseURL: process.argv[2] ?? '', apiKey: 'bench' });
  const stream = await client.chat.completions.create({
    model: 'origin',
    messages: [{ role: 'user', content: 'hi' }],
    stream: true,
  });
  for await (const chunk of stream) process.stdout.write(chunk.choices[0]?.delta.content ?? '');
}

void run();
