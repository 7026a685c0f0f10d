//! The option `--no-jit`, shared by the commands that play games.

/// Whether hot functions are compiled to native code.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct JitOption {
    /// Do not compile hot functions to native code; use the interpreter only
    #[arg(long)]
    no_jit: bool,
}

impl JitOption {
    /// Applies the option to all programs linked from now on.
    pub fn apply(self) {
        #[cfg(feature = "jit")]
        if self.no_jit {
            fizzle_runtime::jit::disable();
        }
        #[cfg(not(feature = "jit"))]
        let _ = self.no_jit; // builds without the feature only have the interpreter
    }
}
