//! Whether hot functions are compiled to native code.

/// How games are carried out.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct JitOption {
    /// Leave everything to the interpreter, also in a build that compiles hot functions to native code
    #[arg(long)]
    no_jit: bool,
}

impl JitOption {
    /// Takes effect for all programs linked from now on.
    pub fn apply(self) {
        #[cfg(feature = "jit")]
        if self.no_jit {
            fizzle_runtime::jit::disable();
        }
        #[cfg(not(feature = "jit"))]
        let _ = self.no_jit; // there is only the interpreter
    }
}
