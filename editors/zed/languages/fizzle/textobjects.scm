(card body: (_) @class.inside) @class.around
(keyword body: (_) @class.inside) @class.around
(scenario body: (_) @class.inside) @class.around
(ability body: (_) @function.inside) @function.around
(action body: (_) @function.inside) @function.around
(phase body: (_) @function.inside) @function.around
(comment)+ @comment.around
