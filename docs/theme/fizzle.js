// Colours for `fz` blocks: mdBook's highlight.js does not know the language.
"use strict";

if (typeof hljs !== "undefined") {
  hljs.registerLanguage("fz", () => ({
    keywords: {
      keyword:
        "all and any as at bottom by can cannot count each for from gets has highest if in instead into is let lowest may must no not of onto or other " +
        "otherwise random some sum target that then to top under until up when whenever while with without would " +
        "action announce append ban before after card constant copies covers deck defines does activated cost price choose divide errata evaluate foreign expect " +
        "extends face back format function global keyword kind layers layout noun option pack pair payment phase play player players position property refuse relation remove renamed repeat " +
        "replace position restrict rule rules scenario setup stage state status step symbol text timing token traits treat trigger turn unlabelled window zone match always times " +
        "additional alternative immediately missable off produces simultaneously timing_neutral usable",
      literal: "true false",
      built_in: "this it its you your opponent active candidate",
    },
    contains: [
      hljs.COMMENT("//", "$"),
      { className: "string", begin: '"', end: '"', illegal: "\\n" },
      { className: "string", begin: "《", end: "》", illegal: "\\n" },
      { className: "symbol", begin: /\{[0-9A-Z/]+\}/ },
      { className: "number", begin: /\b[0-9]+\b/ },
    ],
  }));
  for (const block of document.querySelectorAll("code.language-fz")) {
    hljs.highlightBlock(block);
  }
}
