//! Code generation: translates a function to Cranelift IR. This module handles control flow, numbers, inlined calls and fuel.
//!
//! Fuel is counted as in the interpreter, one unit per operation, and added up per basic block. Pure code has no effect but its
//! value and its fuel, and returns 0 once the fuel is exhausted. Therefore it suffices to compare fuel at the end, and after each
//! loop to bound the running time.

use super::InjectedFault;
use super::analysis::{FunctionAnalysis, can_inline};
use super::native_code::{EntryConditions, Helper, offset, pack_operation};
use super::object_access::Object;
use crate::ir::op::Binary;
use crate::ir::{FnId, Function, Op, Reg, Type};
use crate::program::Program;
use crate::state::layout as at;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I32, I64};
use cranelift_codegen::ir::{
    self, Block, BlockArg, InstBuilder, MemFlagsData, SigRef, Signature, StackSlot, StackSlotData, StackSlotKind, Value,
};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext, Variable};
use std::collections::BTreeMap;
use std::rc::Rc;

/// The source of the elements of a list.
#[derive(Clone, Copy, Debug)]
pub(super) enum StreamSource {
    /// All instances of a zone kind, in turn order: number of the first instance, number of instances.
    Kind(usize, usize),
    /// The zone instance in a register.
    Zone(Value),
    /// A list in scratch memory, by handle.
    Handle(Value),
}

/// A list that is iterated over where it is used, instead of being materialised.
#[derive(Clone, Debug)]
pub(super) struct Stream {
    pub source: StreamSource,
    /// The filter functions that elements have to pass, with their captured arguments.
    pub filters: Vec<(FnId, Vec<Value>)>,
}

/// The content of a register during code generation.
#[derive(Clone, Debug)]
enum RegisterValue {
    Unset,
    Value(Value),
    Variable(Variable),
    Stream(Rc<Stream>),
}

/// The function that is being compiled, or a callee inlined into it.
pub(super) struct InlinedFunction<'p> {
    pub id: FnId,
    pub function: &'p Function,
    analysis: FunctionAnalysis,
    registers: Vec<RegisterValue>,
    /// The call depth below the function that is entered.
    pub level: u32,
}

/// The state of code generation for one function.
pub(super) struct FunctionCodegen<'p, 'b> {
    pub program: &'p Program,
    pub b: FunctionBuilder<'b>,
    frame: Value,
    pub words: Value,
    pub length: Value,
    pub rows: Value,
    pub slots: Value,
    pub active: Value,
    limit: Value,
    fuel: Variable,
    /// Executed operations that have not been added to `fuel` yet.
    pending: i64,
    signatures: BTreeMap<u8, SigRef>,
    convention: Signature,
    exhausted: Option<Block>,
    bailout: Option<Block>,
    /// The objects whose access was generated on all paths to this point.
    pub objects: Vec<(Value, Object)>,
    /// The maximum number of significant bits of a value, sign included.
    bits: BTreeMap<Value, u32>,
    conditions: EntryConditions,
    fault: InjectedFault,
    /// Whether stale objects are passed to the interpreter; else the code bails out.
    pub handles_stale: bool,
    /// How many operations are native, and how many call the interpreter.
    pub counts: (usize, usize),
}

/// Flags of loads from memory that does not change during a call.
pub(super) fn readonly_flags() -> MemFlagsData {
    MemFlagsData::trusted().with_readonly().with_can_move()
}

/// Generates the code of a function. Returns `None` if it cannot be compiled, or if most of its operations would call the
/// interpreter.
pub(super) fn generate(
    program: &Program,
    id: FnId,
    fault: InjectedFault,
    handles_stale: bool,
    ir: &mut ir::Function,
    context: &mut FunctionBuilderContext,
    frontend: cranelift_codegen::isa::TargetFrontendConfig,
) -> Option<EntryConditions> {
    let function = program.function(id)?;
    let shape = FunctionAnalysis::of(function)?;
    let convention = Signature::new(ir.signature.call_conv);
    let mut b = FunctionBuilder::new(ir, context);
    let entry = b.create_block();
    b.append_block_params_for_function_params(entry);
    b.switch_to_block(entry);
    b.seal_block(entry);
    let frame = *b.block_params(entry).first()?;
    let field = |b: &mut FunctionBuilder<'_>, at: i32| b.ins().load(I64, readonly_flags(), frame, at);
    let (words, length, rows) = (field(&mut b, offset::WORDS), field(&mut b, offset::LENGTH), field(&mut b, offset::ROWS));
    let (args, limit) = (field(&mut b, offset::ARGS), field(&mut b, offset::LIMIT));
    let fuel = b.declare_var(I64);
    let first = b.ins().load(I64, MemFlagsData::trusted(), frame, offset::FUEL);
    b.def_var(fuel, first);
    let slots = b.ins().load(I32, readonly_flags(), words, at::SLOT_COUNT as i32 * 4);
    let active = b.ins().uload32(readonly_flags(), words, at::ACTIVE_PLAYER as i32 * 4);
    let params: Vec<Value> =
        (0..i32::from(function.params)).map(|n| b.ins().load(I64, MemFlagsData::trusted(), args, n * 8)).collect();
    let conditions = EntryConditions {
        params: params.len(),
        height: 0,
        objects: false,
        fixed: program.layout.fixed,
        page: program.layout.page,
        stride: program.row.stride,
        seats: program.players(),
    };
    let mut codegen = FunctionCodegen {
        program,
        b,
        frame,
        words,
        length,
        rows,
        slots,
        active,
        limit,
        fuel,
        pending: 0,
        signatures: BTreeMap::new(),
        convention,
        exhausted: None,
        bailout: None,
        objects: Vec::new(),
        bits: BTreeMap::new(),
        conditions,
        fault,
        handles_stale,
        counts: (0, 0),
    };
    let result = codegen.function_body(id, function, shape, &params, 0)?;
    codegen.charge();
    let spent = codegen.b.use_var(fuel);
    codegen.b.ins().store(MemFlagsData::trusted(), spent, frame, offset::FUEL);
    let over = codegen.b.ins().icmp(IntCC::UnsignedGreaterThan, spent, limit);
    let zero = codegen.int(0);
    let result = codegen.b.ins().select(over, zero, result);
    codegen.b.ins().return_(&[result]);
    if let Some(block) = codegen.exhausted {
        codegen.b.switch_to_block(block);
        let spent = codegen.b.use_var(fuel);
        codegen.b.ins().store(MemFlagsData::trusted(), spent, frame, offset::FUEL);
        let zero = codegen.int(0);
        codegen.b.ins().return_(&[zero]);
    }
    if let Some(block) = codegen.bailout {
        codegen.b.switch_to_block(block);
        let one = codegen.int(1);
        codegen.b.ins().store(MemFlagsData::trusted(), one, frame, offset::BAILED_OUT);
        codegen.b.ins().return_(&[one]);
    }
    codegen.b.seal_all_blocks();
    let (native, interpreted) = codegen.counts;
    let needs = codegen.conditions;
    codegen.b.finalize(frontend);
    // Code that mostly calls the interpreter would not be faster.
    (native >= 2 * interpreted).then_some(needs)
}

impl<'p> FunctionCodegen<'p, '_> {
    // ---- small pieces ----

    pub fn int(&mut self, value: i64) -> Value {
        let it = self.b.ins().iconst(I64, value);
        self.bits.insert(it, 65 - (if value < 0 { !value } else { value }).leading_zeros());
        it
    }

    /// Records the maximum number of bits of a value, sign included.
    pub fn bounded(&mut self, value: Value, bits: u32) -> Value {
        self.bits.insert(value, bits);
        value
    }

    fn bits(&self, value: Value) -> u32 {
        self.bits.get(&value).copied().unwrap_or(64)
    }

    /// Converts a condition to 0 or 1.
    pub fn truth(&mut self, condition: Value) -> Value {
        let value = self.b.ins().uextend(I64, condition);
        self.bounded(value, 2)
    }

    /// Records that the code reads objects, so that the state is checked on entry.
    pub fn require_objects(&mut self) {
        self.conditions.objects = true;
    }

    /// Adds the executed operations to the fuel. Called before each branch, and before a helper reads the fuel.
    pub fn charge(&mut self) {
        if self.pending > 0 {
            let fuel = self.b.use_var(self.fuel);
            let fuel = self.b.ins().iadd_imm_s(fuel, self.pending);
            self.b.def_var(self.fuel, fuel);
            self.pending = 0;
        }
    }

    /// Ends the evaluation if the fuel is exhausted.
    pub fn check_fuel(&mut self) {
        self.charge();
        let exhausted = match self.exhausted {
            Some(block) => block,
            None => {
                let block = self.b.create_block();
                self.b.set_cold_block(block);
                self.exhausted = Some(block);
                block
            }
        };
        let fuel = self.b.use_var(self.fuel);
        let over = self.b.ins().icmp(IntCC::UnsignedGreaterThan, fuel, self.limit);
        let on = self.b.create_block();
        self.b.ins().brif(over, exhausted, &[], on, &[]);
        self.enter(on);
    }

    /// Bails out unless the condition holds.
    pub fn guard(&mut self, condition: Value) {
        let given_up = match self.bailout {
            Some(block) => block,
            None => {
                let block = self.b.create_block();
                self.b.set_cold_block(block);
                self.bailout = Some(block);
                block
            }
        };
        let on = self.b.create_block();
        self.b.ins().brif(condition, on, &[], given_up, &[]);
        self.enter(on);
    }

    /// Continues in a block whose predecessors are all known.
    pub fn enter(&mut self, block: Block) {
        self.b.switch_to_block(block);
        self.b.seal_block(block);
    }

    /// Calls a helper function.
    pub fn call_helper(&mut self, helper: Helper, args: &[Value]) -> Option<Value> {
        let (b, convention) = (&mut self.b, &self.convention);
        let signature =
            *self.signatures.entry(helper as u8).or_insert_with(|| b.import_signature(helper.signature(convention.clone())));
        let address = self.b.ins().iconst(I64, helper.address());
        let all: Vec<Value> = std::iter::once(self.frame).chain(args.iter().copied()).collect();
        let call = self.b.ins().call_indirect(signature, address, &all);
        self.b.inst_results(call).first().copied()
    }

    /// The items of a scratch list: address and length.
    pub fn list_items(&mut self, handle: Value) -> (Value, Value) {
        let at = self.call_helper(Helper::List, &[handle]).unwrap_or(handle);
        let length = self.b.ins().load(I64, MemFlagsData::trusted(), self.frame, offset::LIST_LENGTH);
        (at, length)
    }

    // ---- functions ----

    /// Generates the body of a function and returns its result.
    fn function_body(
        &mut self,
        id: FnId,
        function: &'p Function,
        shape: FunctionAnalysis,
        args: &[Value],
        level: u32,
    ) -> Option<Value> {
        self.conditions.height = self.conditions.height.max(level + 1);
        let before = self.objects.len();
        let mut it = InlinedFunction {
            id,
            function,
            analysis: shape,
            registers: vec![RegisterValue::Unset; function.registers.len()],
            level,
        };
        for reg in 0..function.registers.len() {
            let number = reg as Reg;
            let arg = (reg < usize::from(function.params)).then(|| args.get(reg).copied().unwrap_or_else(|| self.int(0)));
            let held = it.registers.get_mut(reg)?;
            if it.analysis.is_assigned_once(function, number) {
                if let Some(arg) = arg {
                    *held = RegisterValue::Value(arg);
                }
            } else {
                let variable = self.b.declare_var(I64);
                if let Some(arg) = arg {
                    self.b.def_var(variable, arg);
                }
                *held = RegisterValue::Variable(variable);
            }
        }
        // Parameters that several operations access are looked up before the paths diverge.
        for (reg, ty) in function.registers.iter().enumerate().take(usize::from(function.params)) {
            if ty.is_reference()
                && it.analysis.object_accesses.get(reg).is_some_and(|looks| *looks > 1)
                && it.analysis.is_assigned_once(function, reg as Reg)
            {
                let value = self.value(&mut it, reg as Reg);
                self.object(value);
            }
        }
        let known = self.objects.len();
        let blocks: Vec<Option<Block>> =
            it.analysis.is_jump_target.iter().map(|target| target.then(|| self.b.create_block())).collect();
        let exit = self.b.create_block();
        let result = self.b.append_block_param(exit, I64);
        let mut open = true;
        for pc in 0..=function.ops.len() {
            if let Some(block) = blocks.get(pc).copied().flatten() {
                if open {
                    self.charge();
                    self.b.ins().jump(block, &[]);
                }
                self.enter(block);
                self.objects.truncate(known);
                open = true;
            }
            let Some(op) = function.ops.get(pc) else { break };
            if !*it.analysis.is_reachable.get(pc)? {
                open = false;
                continue;
            }
            if !open {
                return None; // a reachable operation is a jump target or follows another one
            }
            self.pending += 1;
            match op {
                Op::Jump { to } => {
                    self.charge();
                    let to = blocks.get(*to as usize).copied().flatten()?;
                    self.b.ins().jump(to, &[]);
                    open = false;
                }
                Op::JumpUnless { cond, to } => {
                    let cond = self.value(&mut it, *cond);
                    self.charge();
                    let to = blocks.get(*to as usize).copied().flatten()?;
                    // The next operation may also be a jump target.
                    let next = blocks.get(pc + 1).copied().flatten();
                    let on = next.unwrap_or_else(|| self.b.create_block());
                    self.b.ins().brif(cond, on, &[], to, &[]);
                    if next.is_some() {
                        open = false;
                    } else {
                        self.enter(on);
                    }
                }
                Op::Return { value } => {
                    let value = match value {
                        Some(reg) => self.value(&mut it, *reg),
                        None => self.int(0),
                    };
                    self.charge();
                    self.b.ins().jump(exit, &[BlockArg::Value(value)]);
                    open = false;
                }
                op => self.operation(&mut it, pc, op)?,
            }
        }
        if open {
            let zero = self.int(0);
            self.charge();
            self.b.ins().jump(exit, &[BlockArg::Value(zero)]);
        }
        self.enter(exit);
        self.objects.truncate(before);
        Some(result)
    }

    /// Generates another function inline.
    pub fn inline(&mut self, id: FnId, args: &[Value], level: u32) -> Option<Value> {
        let function = self.program.function(id)?;
        let shape = FunctionAnalysis::of(function)?;
        self.function_body(id, function, shape, args, level + 1)
    }

    /// The value in a register.
    pub fn value(&mut self, it: &mut InlinedFunction<'p>, reg: Reg) -> Value {
        match it.registers.get(usize::from(reg)).cloned() {
            Some(RegisterValue::Value(value)) => value,
            Some(RegisterValue::Variable(variable)) => self.b.use_var(variable),
            Some(RegisterValue::Stream(stream)) => {
                let value = self.materialise(&stream, it.level).unwrap_or_else(|| self.int(0));
                if let Some(held) = it.registers.get_mut(usize::from(reg)) {
                    *held = RegisterValue::Value(value);
                }
                value
            }
            _ => self.int(0),
        }
    }

    /// Writes a register.
    fn write(&mut self, it: &mut InlinedFunction<'p>, reg: Reg, value: Value) {
        match it.registers.get_mut(usize::from(reg)) {
            Some(RegisterValue::Variable(variable)) => self.b.def_var(*variable, value),
            Some(held) => *held = RegisterValue::Value(value),
            None => {}
        }
    }

    /// A list register as a stream.
    fn stream(&mut self, it: &mut InlinedFunction<'p>, reg: Reg) -> Rc<Stream> {
        if let Some(RegisterValue::Stream(stream)) = it.registers.get(usize::from(reg)) {
            return Rc::clone(stream);
        }
        let handle = self.value(it, reg);
        Rc::new(Stream { source: StreamSource::Handle(handle), filters: Vec::new() })
    }

    /// Whether the list that an operation writes is read only once, later in the same basic block, by an operation that can
    /// iterate over the stream.
    fn can_stay_stream(&self, it: &InlinedFunction<'p>, pc: usize, dst: Reg) -> bool {
        if !it.analysis.is_assigned_once(it.function, dst) || it.analysis.reads.get(usize::from(dst)) != Some(&1) {
            return false;
        }
        for (later, op) in it.function.ops.iter().enumerate().skip(pc + 1) {
            if it.analysis.is_jump_target.get(later) == Some(&true)
                || matches!(op, Op::Jump { .. } | Op::JumpUnless { .. } | Op::Return { .. })
            {
                return false;
            }
            match op {
                Op::Count { list, .. } if *list == dst => return true,
                Op::Filter { list, filter, captures, .. } if *list == dst => {
                    return self.is_inlined(it, *filter) && captures.len() <= 23;
                }
                Op::Fold { list, value, .. } if *list == dst => return self.is_inlined(it, *value),
                _ => {}
            }
        }
        false
    }

    fn is_inlined(&self, it: &InlinedFunction<'p>, id: FnId) -> bool {
        id != it.id && can_inline(self.program, id, it.level + 1)
    }

    /// Writes a list register: as a stream if possible, else materialised.
    fn write_stream(&mut self, it: &mut InlinedFunction<'p>, pc: usize, dst: Reg, stream: Stream) -> Option<()> {
        if self.can_stay_stream(it, pc, dst) {
            *it.registers.get_mut(usize::from(dst))? = RegisterValue::Stream(Rc::new(stream));
        } else {
            let value = self.materialise(&stream, it.level)?;
            self.write(it, dst, value);
        }
        Some(())
    }

    /// Generates an operation without control flow.
    fn operation(&mut self, it: &mut InlinedFunction<'p>, pc: usize, op: &'p Op) -> Option<()> {
        let dst = op.destination()?;
        let native = match op {
            Op::Const { value, .. } => Some(self.int(*value)),
            Op::Constant { constant, .. } => {
                let value = self.program.format.constants.get(*constant as usize).map_or(0, |(_, value)| i64::from(*value));
                Some(self.int(value))
            }
            Op::Copy { src, .. } => Some(self.value(it, *src)),
            Op::Cast { src, .. } => {
                let [from, into] = [*src, dst].map(|reg| it.function.registers.get(usize::from(reg)).copied());
                let scalar = |ty: Option<Type>| ty.filter(|ty| !ty.is_list());
                match (scalar(from), scalar(into)) {
                    (Some(from), Some(into)) => {
                        let value = self.value(it, *src);
                        Some(self.cast(value, from, into))
                    }
                    _ => None,
                }
            }
            Op::Binary { op, a, b, .. } => {
                let [a, b] = [*a, *b].map(|reg| self.value(it, reg));
                self.binary(*op, a, b)
            }
            Op::Not { a, .. } => {
                let a = self.value(it, *a);
                let is = self.b.ins().icmp_imm_s(IntCC::Equal, a, 0);
                Some(self.truth(is))
            }
            Op::Call { function, args, .. } if self.is_inlined(it, *function) => {
                let args: Vec<Value> = args.iter().map(|reg| self.value(it, *reg)).collect();
                Some(self.inline(*function, &args, it.level)?)
            }
            Op::AllInZone { zone, .. } => {
                if let Some(source) = self.all_in_zone(zone.index())
                    && self.can_stay_stream(it, pc, dst)
                {
                    self.counts.0 += 1;
                    return self.write_stream(it, pc, dst, Stream { source, filters: Vec::new() });
                }
                None
            }
            Op::ZoneList { zone, .. } if self.can_stay_stream(it, pc, dst) => {
                let zone = self.value(it, *zone);
                self.counts.0 += 1;
                return self.write_stream(it, pc, dst, Stream { source: StreamSource::Zone(zone), filters: Vec::new() });
            }
            Op::Filter { list, filter, captures, .. } if self.is_inlined(it, *filter) && captures.len() <= 23 => {
                let mut stream = (*self.stream(it, *list)).clone();
                let captures = captures.iter().map(|reg| self.value(it, *reg)).collect();
                stream.filters.push((*filter, captures));
                self.counts.0 += 1;
                return self.write_stream(it, pc, dst, stream);
            }
            Op::Count { list, .. } => {
                let stream = self.stream(it, *list);
                Some(self.count(&stream, it.level)?)
            }
            Op::Fold { list, how, value, captures, .. } if self.is_inlined(it, *value) => {
                let stream = self.stream(it, *list);
                let captures: Vec<Value> = captures.iter().map(|reg| self.value(it, *reg)).collect();
                Some(self.fold(&stream, *how, *value, &captures, it.level)?)
            }
            op => self.read(it, pc, op),
        };
        let value = match native {
            Some(value) => {
                self.counts.0 += 1;
                value
            }
            None => {
                self.counts.1 += 1;
                self.call_interpreter(it, pc, op)?
            }
        };
        self.write(it, dst, value);
        Some(())
    }

    /// Generates a call of the interpreter for an operation.
    pub fn call_interpreter(&mut self, it: &mut InlinedFunction<'p>, pc: usize, op: &Op) -> Option<Value> {
        let mut reads = Vec::new();
        op.for_each_read(|reg| reads.push(reg));
        let values: Vec<Value> = reads.into_iter().map(|reg| self.value(it, reg)).collect();
        // Some operations evaluate functions, which reads and adds to the fuel.
        self.charge();
        let fuel = self.b.use_var(self.fuel);
        self.b.ins().store(MemFlagsData::trusted(), fuel, self.frame, offset::FUEL);
        let size = (values.len().max(1) * 8) as u32;
        let slot: StackSlot = self.b.create_sized_stack_slot(StackSlotData::new(StackSlotKind::ExplicitSlot, size, 3));
        let at = self.b.ins().stack_addr(I64, slot, 0);
        for (n, value) in values.iter().enumerate() {
            self.b.ins().store(MemFlagsData::trusted(), *value, at, n as i32 * 8);
        }
        let which = self.b.ins().iconst(I64, pack_operation(it.id, pc, it.level));
        let value = self.call_helper(Helper::Execute, &[which, at])?;
        let fuel = self.b.ins().load(I64, MemFlagsData::trusted(), self.frame, offset::FUEL);
        self.b.def_var(self.fuel, fuel);
        Some(value)
    }

    /// Generates a call of the interpreter for an operation that reads one register and consumes no extra fuel.
    pub fn call_interpreter_for(&mut self, it: &InlinedFunction<'p>, pc: usize, value: Value) -> Option<Value> {
        let which = self.b.ins().iconst(I64, pack_operation(it.id, pc, it.level));
        self.call_helper(Helper::ExecuteUnary, &[which, value])
    }

    // ---- numbers ----

    fn compare(&mut self, how: IntCC, a: Value, b: Value) -> Value {
        let is = self.b.ins().icmp(how, a, b);
        self.truth(is)
    }

    /// The saturated result of an overflow: the minimum if `negative` is negative, else the maximum.
    fn saturated(&mut self, negative: Value) -> Value {
        let sign = self.b.ins().sshr_imm_s(negative, 63);
        self.b.ins().bxor_imm_s(sign, i64::MAX)
    }

    pub fn add(&mut self, a: Value, b: Value) -> Value {
        let bits = self.bits(a).max(self.bits(b)) + 1;
        if bits <= 64 {
            let sum = self.b.ins().iadd(a, b);
            return self.bounded(sum, bits);
        }
        let (sum, over) = self.b.ins().sadd_overflow(a, b);
        let end = self.saturated(a);
        self.b.ins().select(over, end, sum)
    }

    fn binary(&mut self, op: Binary, a: Value, b: Value) -> Option<Value> {
        Some(match op {
            Binary::Add => self.add(a, b),
            Binary::Subtract => {
                let bits = self.bits(a).max(self.bits(b)) + 1;
                if bits <= 64 {
                    let difference = self.b.ins().isub(a, b);
                    return Some(self.bounded(difference, bits));
                }
                let (difference, over) = self.b.ins().ssub_overflow(a, b);
                let end = self.saturated(a);
                self.b.ins().select(over, end, difference)
            }
            Binary::Multiply => {
                let bits = self.bits(a) + self.bits(b);
                if bits <= 64 {
                    let product = self.b.ins().imul(a, b);
                    return Some(self.bounded(product, bits));
                }
                let (product, over) = self.b.ins().smul_overflow(a, b);
                let signs = self.b.ins().bxor(a, b);
                let end = self.saturated(signs);
                self.b.ins().select(over, end, product)
            }
            Binary::DivideDown | Binary::DivideUp => return None,
            Binary::Min => self.b.ins().smin(a, b),
            Binary::Max => self.b.ins().smax(a, b),
            Binary::Equal => self.compare(IntCC::Equal, a, b),
            Binary::NotEqual => self.compare(IntCC::NotEqual, a, b),
            Binary::Less if self.fault == InjectedFault::Less => self.compare(IntCC::SignedLessThanOrEqual, a, b),
            Binary::Less => self.compare(IntCC::SignedLessThan, a, b),
            Binary::LessEqual => self.compare(IntCC::SignedLessThanOrEqual, a, b),
            Binary::And | Binary::Or => {
                let [a, b] = [a, b].map(|value| self.b.ins().icmp_imm_s(IntCC::NotEqual, value, 0));
                let both = if op == Binary::And { self.b.ins().band(a, b) } else { self.b.ins().bor(a, b) };
                self.truth(both)
            }
            Binary::MaskAnd => self.b.ins().band(a, b),
        })
    }
}
