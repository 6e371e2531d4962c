// TeX commands and the characters they are.

const pairs = (text: string): ReadonlyMap<string, string> => {
  const words = text.trim().split(/\s+/);
  return new Map(
    words.flatMap((word, index) => (index % 2 === 0 ? [[word, words[index + 1] ?? '']] : [])),
  );
};

/** Letters and signs without spaces around them. */
export const symbols = pairs(`
  alpha α beta β gamma γ delta δ epsilon ε varepsilon ε zeta ζ eta η theta θ vartheta ϑ iota ι kappa κ lambda λ mu μ
  nu ν xi ξ omicron ο pi π varpi ϖ rho ρ varrho ϱ sigma σ varsigma ς tau τ upsilon υ phi φ varphi φ chi χ psi ψ omega ω
  Gamma Γ Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ Upsilon Υ Phi Φ Psi Ψ Omega Ω
  infty ∞ partial ∂ nabla ∇ hbar ℏ ell ℓ Re ℜ Im ℑ aleph ℵ wp ℘ imath ı jmath ȷ
  forall ∀ exists ∃ nexists ∄ neg ¬ lnot ¬ emptyset ∅ varnothing ∅ top ⊤ bot ⊥ angle ∠ triangle △ square □ Box □
  degree ° circ ∘ bullet • star ⋆ ast ∗ dagger † ddagger ‡ prime ′ checkmark ✓ S § copyright © pounds £
  ldots … dots … dotsc … dotsb ⋯ cdots ⋯ vdots ⋮ ddots ⋱ colon :
  langle ⟨ rangle ⟩ lceil ⌈ rceil ⌉ lfloor ⌊ rfloor ⌋ lvert | rvert | lVert ‖ rVert ‖ vert | Vert ‖ lbrace { rbrace }
  lbrack [ rbrack ] backslash \\ % % $ $ # # _ _ & & { { } } | ‖
`);

/** Operators whose limits are their sub- and superscript. */
export const operators = pairs(`
  sum ∑ prod ∏ coprod ∐ int ∫ iint ∬ iiint ∭ oint ∮ bigcup ⋃ bigcap ⋂ bigoplus ⨁ bigotimes ⨂ bigvee ⋁ bigwedge ⋀
`);

/** Relations, arrows and binary operators, which have a space on both sides. */
export const relations = pairs(`
  le ≤ leq ≤ leqslant ≤ ge ≥ geq ≥ geqslant ≥ ne ≠ neq ≠ ll ≪ gg ≫ approx ≈ equiv ≡ cong ≅ sim ∼ simeq ≃ propto ∝
  in ∈ notin ∉ ni ∋ subset ⊂ subseteq ⊆ supset ⊃ supseteq ⊇ subsetneq ⊊ nsubseteq ⊈ sqsubseteq ⊑ prec ≺ succ ≻
  preceq ⪯ succeq ⪰ mid ∣ nmid ∤ parallel ∥ perp ⊥ models ⊨ vdash ⊢ doteq ≐ triangleq ≜ coloneqq ≔ lt < gt >
  to → rightarrow → leftarrow ← gets ← leftrightarrow ↔ Rightarrow ⇒ Leftarrow ⇐ Leftrightarrow ⇔ implies ⟹ impliedby ⟸
  iff ⟺ mapsto ↦ longrightarrow ⟶ longleftarrow ⟵ Longrightarrow ⟹ Longleftarrow ⟸ longmapsto ⟼ hookrightarrow ↪
  uparrow ↑ downarrow ↓ updownarrow ↕ Uparrow ⇑ Downarrow ⇓ rightharpoonup ⇀ rightleftharpoons ⇌ leadsto ⇝ nearrow ↗
  searrow ↘ times × div ÷ cdot · pm ± mp ∓ cup ∪ cap ∩ setminus ∖ land ∧ wedge ∧ lor ∨ vee ∨ oplus ⊕ ominus ⊖ otimes ⊗
  odot ⊙ therefore ∴ because ∵ bmod mod
`);

export const functionNames: ReadonlySet<string> = new Set(
  (
    'sin cos tan cot sec csc sinh cosh tanh coth arcsin arccos arctan log ln lg exp max min sup inf lim limsup liminf ' +
    'det dim ker deg gcd lcm arg hom Pr argmax argmin mod'
  ).split(' '),
);

/** Combining characters, after each character of the argument. */
export const accents = pairs(`
  hat \u0302 widehat \u0302 bar \u0304 overline \u0305 underline \u0332 vec \u20d7 dot \u0307 ddot \u0308 tilde \u0303
  widetilde \u0303 check \u030c breve \u0306 acute \u0301 grave \u0300 mathring \u030a
`);

/** Accents that may be on several characters. */
export const longAccents: ReadonlySet<string> = new Set(['overline', 'underline']);

const superscriptFrom =
  '0123456789+-=()abcdefghijklmnoprstuvwxyzABDEGHIJKLMNOPRTUVWαβγδθιφχ′∗*∘°†⊤';
const superscriptTo = '⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻᴬᴮᴰᴱᴳᴴᴵᴶᴷᴸᴹᴺᴼᴾᴿᵀᵁⱽᵂᵅᵝᵞᵟᶿᶥᵠᵡ′**°°†ᵀ';
const subscriptFrom = '0123456789+-=()aehijklmnoprstuvxβγρφχ';
const subscriptTo = '₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓᵦᵧᵨᵩᵪ';

const charactersOf = (from: string, to: string): ReadonlyMap<string, string> => {
  const targets = Array.from(to);
  return new Map(Array.from(from, (character, index) => [character, targets[index] ?? '']));
};

export const superscripts = charactersOf(superscriptFrom, superscriptTo);
export const subscripts = charactersOf(subscriptFrom, subscriptTo);

export const doubleStruck = pairs('C ℂ E 𝔼 H ℍ K 𝕂 N ℕ P ℙ Q ℚ R ℝ Z ℤ F 𝔽 D 𝔻 S 𝕊 T 𝕋 1 𝟙');
export const script = pairs(
  'A 𝒜 B ℬ C 𝒞 D 𝒟 E ℰ F ℱ G 𝒢 H ℋ I ℐ J 𝒥 K 𝒦 L ℒ M ℳ N 𝒩 O 𝒪 P 𝒫 Q 𝒬 R ℛ S 𝒮 T 𝒯 U 𝒰 V 𝒱 W 𝒲 X 𝒳 Y 𝒴 Z 𝒵',
);

export const fractions = pairs(
  '1/2 ½ 1/3 ⅓ 2/3 ⅔ 1/4 ¼ 3/4 ¾ 1/5 ⅕ 2/5 ⅖ 3/5 ⅗ 4/5 ⅘ 1/6 ⅙ 5/6 ⅚ 1/8 ⅛ 3/8 ⅜ 5/8 ⅝ 7/8 ⅞',
);

export const negated = pairs('= ≠ ∈ ∉ ⊂ ⊄ ⊆ ⊈ ≡ ≢ ∃ ∄ ∼ ≁ ≈ ≉ < ≮ > ≯ ≤ ≰ ≥ ≱ ∣ ∤ ∥ ∦');
