import type { Reply } from './reply.ts';

const lines = [
  '# 文字 · текст · κείμενο',
  '',
  '- 中文：今天天气很好，我们去散步吧。',
  '- 日本語：吾輩は猫である。名前はまだ無い。ﾊﾝｶｸ',
  '- 한국어: 오늘은 날씨가 좋습니다. 각 (각)',
  '- Русский: съешь же ещё этих мягких французских булок',
  '- Ελληνικά: ξεσκεπάζω την ψυχοφθόρα βδελυγμία',
  '- العربية: اللغة العربية جميلة، والرقم ١٢٣.',
  '- עברית: שלום עולם, המספר 123.',
  '- فارسی: می‌خواهم (with a zero-width non-joiner)',
  '- हिन्दी: नमस्ते दुनिया, क्षत्रिय',
  '- ไทย: สวัสดีชาวโลก',
  '- Tiếng Việt: trường đại học, e\u0302\u0301 composed of three',
  '- Emoji: 😀 👍🏽 👩‍👩‍👧‍👦 🏳️‍🌈 🇳🇴 🏴󠁧󠁢󠁥󠁮󠁧󠁿 ❤️ ☎︎ 1️⃣ 🧑‍🚀',
  '- Astral: 𝔘𝔫𝔦𝔠𝔬𝔡𝔢 𠜎𠜱 𐍈',
  '- Combining: Z̷̧a̷̛l̴̢g̶̛ǫ, e\u0301 and é',
  '- Width: ｆｕｌｌ ﾊﾝ ①②③ …—“”',
  '',
  '| 言語 | 例 | emoji |',
  '| --- | --- | --- |',
  '| 中文 | 你好，世界 | 🐉 |',
  '| العربية | مرحبا بالعالم | 🐪 |',
  '| English | hello, world | 🦊 |',
  '',
];

/** Text that is hard to measure, split and order. */
export const unicodeReply: Reply = function* speak() {
  for (const line of lines) yield `${line}\n`;
};
